// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"bytes"
	"encoding/json"
	"maps"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

// A Tree is a scenario as a JSON object whose numbers keep their digits, with its
// references resolved. A plan holds one, so that a path can reach into it whatever its
// Go type is.
type Tree = map[string]any

// VersionField is next to the fields of the EPP's document and names the
// version that reads it.
const VersionField = "version"

// Decode returns a resolved scenario's types: its own fields, and how its
// router chooses.
func Decode(root Tree, path *field.Path) (*v1alpha1.Scenario, *Routing, field.ErrorList) {
	return new(Builder).Decode(root, path)
}

// Decode is the function Decode. Scenarios with equal fields may be one, so that it is not to be
// changed.
func (b *Builder) Decode(root Tree, path *field.Path) (*v1alpha1.Scenario, *Routing, field.ErrorList) {
	return b.decode(root, ValidateTenants, path)
}

// DecodeSelection is Decode for a scenario with a selection of the sources of a workload,
// which may lack the clients that a tenant is for.
func (b *Builder) DecodeSelection(root Tree, path *field.Path) (*v1alpha1.Scenario, *Routing, field.ErrorList) {
	return b.decode(root, validateTraits, path)
}

func (b *Builder) decode(root Tree, validateTenants func(*v1alpha1.Workload, *field.Path) field.ErrorList, path *field.Path) (*v1alpha1.Scenario, *Routing, field.ErrorList) {
	stated, err := b.decodeStated(root)
	if err != nil {
		return nil, nil, field.ErrorList{field.Invalid(path, "", err.Error())}
	}
	if errs := validateTenants(&stated.Workload, path.Child("workload")); len(errs) > 0 {
		return nil, nil, errs
	}
	scenario := WithTenants(stated)
	list, several := root["routers"].([]any)
	if !several {
		r, errs := decodeRouting(root["router"].(Tree), &scenario.Router, path.Child("router"))
		return scenario, r, errs
	}
	all, errs := &Routing{}, field.ErrorList(nil)
	for i, router := range list {
		r, es := decodeRouting(router.(Tree), &scenario.Routers[i].Router, path.Child("routers").Index(i))
		all.models, errs = append(all.models, r), append(errs, es...)
	}
	return scenario, all, errs
}

// decodeRouting returns how one router chooses.
func decodeRouting(root Tree, router *v1alpha1.Router, path *field.Path) (*Routing, field.ErrorList) {
	document, isEPP := root["endpointPickerConfig"].(Tree)
	if !isEPP {
		return loadRouting(router, path.Child("policies"))
	}
	if router.Policies != nil {
		return nil, field.ErrorList{field.Forbidden(path.Child("policies"), "the router has an EPP configuration, and policies then have no effect")}
	}
	config, errs := LoadEPPConfig(document, path.Child("endpointPickerConfig"))
	return &Routing{EPPConfig: config}, errs
}

// DecodeScenario returns the types of a resolved scenario's own fields, all but the EPP's
// document. Its clients have what their tenants state.
func DecodeScenario(root Tree) (*v1alpha1.Scenario, error) {
	stated, err := new(Builder).decodeStated(root)
	if err != nil {
		return nil, err
	}
	return WithTenants(stated), nil
}

// decoded is a scenario and the JSON of its own fields.
type decoded struct {
	json     []byte
	scenario *v1alpha1.Scenario
}

// decodeStated returns the last scenario again where its JSON is the same: most points of a sweep
// differ in the EPP's document alone.
func (b *Builder) decodeStated(root Tree) (*v1alpha1.Scenario, error) {
	text := TreeJSON(ownFields(root))
	if last := b.last.Load(); last != nil && bytes.Equal(last.json, text) {
		return last.scenario, nil
	}
	var scenario v1alpha1.Scenario
	if err := json.Unmarshal(text, &scenario); err != nil {
		return nil, err
	}
	b.last.Store(&decoded{text, &scenario})
	return &scenario, nil
}

// ownFields is a scenario without the EPP's documents, and with the texts of the other documents.
func ownFields(root Tree) Tree {
	own := maps.Clone(root)
	if router, one := root["router"].(Tree); one {
		own["router"] = withBundleText(withoutPicker(router))
	}
	if list, several := root["routers"].([]any); several {
		routers := make([]any, len(list))
		for i, router := range list {
			routers[i] = withBundleText(withoutPicker(router.(Tree)))
		}
		own["routers"] = routers
	}
	if list, scales := root["scalers"].([]any); scales {
		scalers := make([]any, len(list))
		for i, scaler := range list {
			scalers[i] = withTextOfManifests(scaler.(Tree))
		}
		own["scalers"] = scalers
	}
	return own
}

// withoutPicker returns a router without the EPP's document.
func withoutPicker(router Tree) Tree {
	own := maps.Clone(router)
	delete(own, "endpointPickerConfig")
	return own
}

// LoadEPPConfig reads the EPP's document, with the version among its fields.
func LoadEPPConfig(document Tree, path *field.Path) (*config.Config, field.ErrorList) {
	document = maps.Clone(document)
	version, _ := document[VersionField].(string)
	delete(document, VersionField)
	return epp.LoadTree(document, version, path)
}
