// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/epp"
)

// versionField stands beside the fields of the EPP's document and names the
// version that reads it.
const versionField = "version"

// decodeScenario returns a resolved scenario's types: its own fields, and how its
// router chooses.
func decodeScenario(root tree, path *field.Path) (*v1alpha1.Scenario, *routing, field.ErrorList) {
	scenario, err := decodeOwn(root)
	if err != nil {
		return nil, nil, field.ErrorList{field.Invalid(path, "", err.Error())}
	}
	at := path.Child("router")
	document, isEPP := root["router"].(tree)["endpointPickerConfig"].(tree)
	if !isEPP {
		r, errs := loadRouting(&scenario.Router, at.Child("policies", "routing"))
		return scenario, r, errs
	}
	config, errs := loadPicker(document, at.Child("endpointPickerConfig"))
	return scenario, &routing{picker: config}, errs
}

// decodeOwn returns the types of a resolved scenario's own fields: all but the
// EPP's document.
func decodeOwn(root tree) (*v1alpha1.Scenario, error) {
	own := maps.Clone(root)
	router := maps.Clone(root["router"].(tree))
	delete(router, "endpointPickerConfig")
	own["router"] = router
	var scenario v1alpha1.Scenario
	if err := json.Unmarshal(mustJSON(own), &scenario); err != nil {
		return nil, err
	}
	return &scenario, nil
}

// loadPicker reads the EPP's document, with the version beside its fields.
func loadPicker(document tree, path *field.Path) (*epp.Config, field.ErrorList) {
	document = maps.Clone(document)
	version, _ := document[versionField].(string)
	delete(document, versionField)
	return epp.Load(mustJSON(document), version, path)
}

func mustJSON(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("experiment: marshal %T: %v", v, err))
	}
	return raw
}

// checkValue checks a scenario into which a parameter's value was written: by
// the API's schema, then as the base was.
func (c *compiler) checkValue(scenario tree) field.ErrorList {
	typed, config, errs := decodeScenario(scenario, nil)
	if len(errs) > 0 {
		return errs
	}
	if errs := validateBySchema(*typed.DeepCopy()); len(errs) > 0 {
		return slices.DeleteFunc(errs, aboutNoField)
	}
	_, errs = c.plan.build(typed, config, c.trace, 0, nil)
	return errs
}

// aboutNoField tells the schema's remark that it left rules unchecked, which it
// makes beside the fault that made it do so.
func aboutNoField(e *field.Error) bool { return e.Field == "" || e.Field == "<nil>" }

// validateBySchema puts a scenario whose references were resolved into an
// object of the API.
func validateBySchema(scenario v1alpha1.Scenario) field.ErrorList {
	placeholder := "resolved"
	if scenario.Router.Policies == nil {
		scenario.Router.EndpointPickerConfig.Inline = &placeholder
	}
	if scenario.Workload.Trace != nil {
		scenario.Workload.Trace.File = &placeholder
	}
	run := &v1alpha1.SimulationRun{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "SimulationRun"},
		ObjectMeta: metav1.ObjectMeta{Name: placeholder, Namespace: metav1.NamespaceDefault},
		Spec:       v1alpha1.SimulationRunSpec{Scenario: scenario},
	}
	return manifest.Validate(run)
}
