// SPDX-License-Identifier: Apache-2.0

package compile_test

import (
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

func TestAPlanHoldsTheFindingsOfTheLinter(t *testing.T) {
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
