// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"
	"testing"
)

// TestHelmValuesSayWhatTheEPPIsStartedWith: three replicas count a third each, the flag
// admits Alpha plugins, and two scrapes of 5 s each are more than a staleness of 200 ms.
func TestHelmValuesSayWhatTheEPPIsStartedWith(t *testing.T) {
	const values = `
router:
  epp:
    replicas: 3
    flags: {allow-experimental-plugins: true, refresh-metrics-interval: 5s, ha-enable-leader-election: false}
    pluginsCustomConfig:
      a.yaml: |
        apiVersion: llm-d.ai/v1alpha1
        kind: EndpointPickerConfig
        plugins:
        - type: agent-identity
        - type: active-request-scorer
        - type: utilization-detector
          parameters: {metricsStalenessThreshold: 200ms}
        flowControl:
          saturationDetector: {pluginRef: utilization-detector}
        schedulingProfiles:
        - name: default
          plugins: [{pluginRef: active-request-scorer}]
`
	report, err := Read("", []byte(values), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range report.Findings() {
		found = append(found, f.Rule)
	}
	for _, rule := range []string{inFlightWithReplicas.ID, stalenessBelowScrape.ID} {
		if !slices.Contains(found, rule) {
			t.Errorf("no finding of %s: %v", rule, found)
		}
	}
	if slices.Contains(found, alphaPlugin.ID) {
		t.Errorf("the EPP has the flag, and there is a finding of %s", alphaPlugin.ID)
	}
}
