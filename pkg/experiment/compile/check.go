// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/setup"
)

// checkValue checks a scenario into which a parameter's value was written: by
// the API's schema, then as the base was.
func (c *compiler) checkValue(scenario experiment.Tree) field.ErrorList {
	typed, config, errs := setup.Decode(scenario, nil)
	if len(errs) > 0 {
		return errs
	}
	if errs := validateBySchema(*typed.DeepCopy()); len(errs) > 0 {
		return slices.DeleteFunc(errs, aboutNoField)
	}
	if errs := c.plan.ValidateParts(&typed.Workload, field.NewPath("workload")); len(errs) > 0 {
		return errs
	}
	_, errs = c.plan.Builder.Build(typed, config, c.traces, 0, nil)
	if len(errs) == 0 {
		c.noteStepTimes(typed)
	}
	return errs
}

// noteStepTimes notes what the step times of a scenario rest on, once each, of
// the base and of what parameters make of it.
func (c *compiler) noteStepTimes(scenario *v1alpha1.Scenario) {
	lines, warnings := c.plan.Builder.StepTimes(scenario, field.NewPath("spec", "scenario"))
	c.plan.StepTimes = appendNew(c.plan.StepTimes, lines)
	c.plan.Warnings = appendNew(c.plan.Warnings, warnings)
}

// appendNew appends the texts that are not there yet.
func appendNew(texts, more []string) []string {
	for _, text := range more {
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return texts
}

// aboutNoField tells the schema's remark that it left rules unchecked, which it
// makes beside the fault that made it do so.
func aboutNoField(e *field.Error) bool { return e.Field == "" || e.Field == "<nil>" }

// validateBySchema puts a scenario whose references were resolved into an
// object of the API.
func validateBySchema(scenario v1alpha1.Scenario) field.ErrorList {
	placeholder := "resolved"
	if len(scenario.Routers) == 0 && scenario.Router.Policies == nil {
		scenario.Router.EndpointPickerConfig.Inline = &placeholder
	}
	for i := range scenario.Routers {
		if r := &scenario.Routers[i]; r.Policies == nil {
			r.EndpointPickerConfig.Inline = &placeholder
		}
	}
	for _, t := range setup.Traces(&scenario.Workload, nil) {
		t.File = &placeholder
	}
	run := &v1alpha1.SimulationRun{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "SimulationRun"},
		ObjectMeta: metav1.ObjectMeta{Name: placeholder, Namespace: metav1.NamespaceDefault},
		Spec:       v1alpha1.SimulationRunSpec{Scenario: scenario},
	}
	return manifest.Validate(run)
}
