// SPDX-License-Identifier: Apache-2.0

package starter

import (
	"testing"

	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// TestAFirstScenarioHasWhatHelmValuesSayOfTheEPP: its replicas and its scrapes.
func TestAFirstScenarioHasWhatHelmValuesSayOfTheEPP(t *testing.T) {
	const values = `
router:
  epp:
    replicas: 3
    flags: {refresh-metrics-interval: 5s, ha-enable-leader-election: false}
    pluginsCustomConfig:
      a.yaml: |
        apiVersion: llm-d.ai/v1alpha1
        kind: EndpointPickerConfig
        plugins: [{type: queue-scorer}]
`
	text, err := Write(&Options{Name: "first", File: "first.yaml", Replicas: 2, TTFT: "2s", PickerFile: "values.yaml", Picker: []byte(values), Traffic: Preset("Chat", 2)})
	if err != nil {
		t.Fatal(err)
	}
	var run v1alpha1.SimulationRun
	if err := yaml.UnmarshalStrict(text, &run); err != nil {
		t.Fatal(err)
	}
	router := run.Spec.Scenario.Router
	if router.Replicas != 3 || router.MetricsRefreshInterval != "5s" {
		t.Errorf("%d EPPs that scrape every %s, want 3 and 5s", router.Replicas, router.MetricsRefreshInterval)
	}
}
