// SPDX-License-Identifier: Apache-2.0

package experiment_test

import (
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
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
		if f.Rule == "weight-not-positive" && f.AtLeastWarning() && f.Path == inline+": schedulingProfiles[0].plugins[0].weight" {
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

// A policy without an EPP is explained as one profile.
func TestDecisionsOfPoliciesAreExplained(t *testing.T) {
	run := testRun(t)
	run.Spec.Scenario.Router.EndpointPickerConfig = v1alpha1.EndpointPickerConfig{}
	run.Spec.Scenario.Router.Replicas = 2
	run.Spec.Scenario.Router.TieBreak = v1alpha1.RandomTieBreak
	run.Spec.Scenario.Router.Policies = &v1alpha1.Policies{Routing: v1alpha1.RoutingPolicy{
		Policy: "weighted", Scorers: []v1alpha1.RoutingScorer{{Name: "load-balance", Weight: "2"}, {Name: "prefix-affinity", Weight: "1"}},
	}}
	run.Spec.Trace.Level = v1alpha1.DecisionsTrace
	c, errs, err := compile.Run(t.Context(), run, traceInputs(t))
	if err != nil || len(errs) > 0 {
		t.Fatal(errs, err)
	}
	story, err := execute.Explain(t.Context(), c.Plan, c.Trace, 1, 1, false)
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	if err := story.Table(&table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		", EPP 1\n", "profile weighted\n", "load-balance ×2", "prefix-affinity ×1", "1 → 2", "weighted picked ", "in flight: what the router has sent there itself, at once\n",
		"prefix-affinity: what was sent there, at once; never told of evictions; blocks of 16 tokens\n", " ms old", "requests 0",
	} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("there is no %q in\n%s", want, &table)
		}
	}
	if strings.Contains(table.String(), "saturation") {
		t.Errorf("a policy has no detector\n%s", &table)
	}
}
