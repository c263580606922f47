// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"encoding/json"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/setup"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// checkValue checks a scenario into which a parameter's value was written: by
// the API's schema, then as the base was.
func (c *compiler) checkValue(scenario experiment.Tree) field.ErrorList {
	typed, router, errs := c.plan.Builder.Decode(scenario, nil)
	if len(errs) == 0 {
		_, errs = c.checkTyped(scenario, typed, router, c.plan.Builder.Build)
	}
	if len(errs) == 0 {
		c.keepIdle(typed)
	}
	return errs
}

// keepIdle keeps the notes on what has no effect in a scenario, too.
func (c *compiler) keepIdle(scenario *v1alpha1.Scenario) {
	if len(c.idle) == 0 {
		return
	}
	idle := setup.IdleNotes(scenario, field.NewPath("spec", "scenario"))
	c.idle = slices.DeleteFunc(c.idle, func(note string) bool { return !slices.Contains(idle, note) })
}

// checkSelection is checkValue for the scenario under a workload. It notes what requests are
// labelled with.
func (c *compiler) checkSelection(workload string) field.ErrorList {
	under := c.plan.Under(c.plan.Scenario, workload)
	typed, router, errs := c.plan.Builder.DecodeSelection(under, nil)
	if len(errs) > 0 {
		return errs
	}
	config, errs := c.checkTyped(under, typed, router, c.plan.Builder.BuildSelection)
	if config.Source != nil {
		c.labels[workload] = config.Source.Labels()
	}
	return errs
}

// build is that of a setup.Builder.
type build = func(*v1alpha1.Scenario, *setup.Routing, trace.Set, int64, *field.Path) (simulator.Config, field.ErrorList)

// checkTyped checks a scenario by what its tree says and what the tree decodes to.
func (c *compiler) checkTyped(tree experiment.Tree, typed *v1alpha1.Scenario, router *setup.Routing, build build) (simulator.Config, field.ErrorList) {
	if errs := c.validateBySchema(*typed.DeepCopy(), tree); len(errs) > 0 {
		return simulator.Config{}, slices.DeleteFunc(errs, aboutNoField)
	}
	if errs := c.plan.ValidateParts(&typed.Workload, field.NewPath("workload")); len(errs) > 0 {
		return simulator.Config{}, errs
	}
	config, errs := build(typed, router, c.traces, 0, nil)
	if len(errs) == 0 {
		c.noteStepTimes(typed)
	}
	return config, errs
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
// makes together with the fault that is the reason.
func aboutNoField(e *field.Error) bool { return e.Field == "" || e.Field == "<nil>" }

// validateBySchema puts a scenario whose references were resolved into an object of the API. tree
// is what the scenario was decoded from; nil if it was not.
func (c *compiler) validateBySchema(scenario v1alpha1.Scenario, tree experiment.Tree) field.ErrorList {
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
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.SimulationRunKind},
		ObjectMeta: metav1.ObjectMeta{Name: placeholder, Namespace: metav1.NamespaceDefault},
		Spec:       v1alpha1.SimulationRunSpec{Scenario: scenario},
	}
	return c.variants.Validate(run, func(object map[string]any) {
		writeZeros(object["spec"].(map[string]any)["scenario"], tree)
	})
}

// documents are the fields that hold a document with a schema of its own.
var documents = []string{"endpointPickerConfig", "bundle"}

// writeZeros writes into the fields of a scenario the zeros that its tree states, which its types
// leave out.
func writeZeros(scenario, tree any) {
	switch stated := tree.(type) {
	case experiment.Tree:
		fields, ok := scenario.(map[string]any)
		for name, value := range stated {
			if !ok {
				return
			}
			if _, there := fields[name]; slices.Contains(documents, name) {
				continue
			} else if there {
				writeZeros(fields[name], value)
			} else if zero := zeroOf(value); zero != nil {
				fields[name] = zero
			}
		}
	case []any:
		entries, ok := scenario.([]any)
		if !ok || len(entries) != len(stated) {
			return
		}
		for i := range stated {
			writeZeros(entries[i], stated[i])
		}
	}
}

// zeroOf returns a value if it is the zero of its type, as the schema reads it; nil if not.
func zeroOf(value any) any {
	switch value := value.(type) {
	case json.Number:
		if f, err := value.Float64(); err == nil && f == 0 {
			return int64(0)
		}
	case string:
		if value == "" {
			return value
		}
	case bool:
		if !value {
			return value
		}
	}
	return nil
}
