// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

func TestPlansHoldWhatTheLinterFinds(t *testing.T) {
	plan := mustCompileRun(t, func(s *v1alpha1.Scenario) {
		s.Router.EndpointPickerConfig.Inline = ptr.To(`
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: metrics-data-source
  parameters: {interval: 100ms}
- {type: core-metrics-extractor}
- {type: queue-scorer}
- {type: by-label, parameters: {label: x, allowsNoLabel: true}}
schedulingProfiles:
- name: default
  plugins: [{pluginRef: queue-scorer, weight: 0}]
`)
	}).Plan
	const inline = "spec.scenario.router.endpointPickerConfig.inline"
	weight := 0
	for _, f := range plan.Findings {
		if f.Rule == "weight-not-positive" && f.Grave() && f.Path == inline+": schedulingProfiles[0].plugins[0].weight" {
			weight++
		}
	}
	remarks := strings.Join(plan.Remarks(), "\n")
	if weight != 1 || strings.Count(remarks, "is 0: the scorer counts for nothing")+strings.Count(remarks, "has weight 0") != 1 {
		t.Errorf("a weight of 0 is found %d times, in\n%s", weight, remarks)
	}
	if !strings.Contains(remarks, "by-label is deprecated") {
		t.Errorf("what the loader notices is lost:\n%s", remarks)
	}
}

func TestDecisionsOfNoEPPAreRefused(t *testing.T) {
	run := testRun(t)
	run.Spec.Scenario.Router.EndpointPickerConfig = v1alpha1.EndpointPickerConfig{}
	run.Spec.Scenario.Router.Policies = &v1alpha1.Policies{Routing: v1alpha1.RoutingPolicy{Policy: "random"}}
	c, errs, err := CompileRun(t.Context(), run, traceInputs(t))
	if err != nil || len(errs) > 0 {
		t.Fatal(errs, err)
	}
	if _, err := c.Plan.Explain(t.Context(), c.Trace, 1, 0, false); err == nil || !strings.Contains(err.Error(), ErrUnexplained.Error()) {
		t.Errorf("explaining fails with %v", err)
	}
	run.Spec.Trace.Level = v1alpha1.DecisionsTrace
	if _, errs, _ = CompileRun(t.Context(), run, traceInputs(t)); len(errs) != 1 || errs[0].Field != "spec.trace.level" {
		t.Errorf("keeping them is refused with %v", errs)
	}
}
