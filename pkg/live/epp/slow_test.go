// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// TestTimesOfASlowedConfiguration runs at a quarter of real time: the times that are stated take four times
// as long, and so do those that the EPP has without being told.
func TestTimesOfASlowedConfiguration(t *testing.T) {
	for name, tc := range map[string]struct{ config, want string }{
		"flow control": {
			config: "featureGates: [flowControl]\nflowControl: {noEndpointRequestTTL: 500ms}\nplugins:\n- type: utilization-detector\n",
			want: `featureGates: [flowControl]
flowControl: {noEndpointRequestTTL: 2s, defaultRequestTTL: 4m0s}
plugins: [{type: utilization-detector, parameters: {metricsStalenessThreshold: 800ms}}]
`,
		},
		"stated": {
			config: "plugins:\n- type: precise-prefix-cache-producer\n  parameters: {speculativeTTL: 1s, kvEventsConfig: {topicFilter: 10s}}\n",
			want:   "plugins: [{type: precise-prefix-cache-producer, parameters: {speculativeTTL: 4s, kvEventsConfig: {topicFilter: 10s}}}]\n",
		},
		"numbers": {
			config: "plugins:\n- type: program-aware-fairness\n  parameters: {lasHalfLifeSeconds: 0.5, evictionTtlSeconds: 30}\n- {type: burst-prefix-cache-producer}\n- {type: prefix-cache-affinity-filter, parameters: {maxTTFTPenaltyMs: 0.3}}\n",
			want: `plugins:
- {type: program-aware-fairness, parameters: {lasHalfLifeSeconds: 2, evictionTtlSeconds: 120}}
- {type: burst-prefix-cache-producer, parameters: {windowDurationMs: 400}}
- {type: prefix-cache-affinity-filter, parameters: {maxTTFTPenaltyMs: 1}}
`,
		},
		"without times": {config: "plugins:\n- {type: queue-scorer}\n", want: "plugins: [{type: queue-scorer}]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := (&Options{Config: []byte(tc.config), Speed: 0.25}).document("")
			if err != nil {
				t.Fatal(err)
			}
			var documents [2]map[string]any
			for i, text := range []string{tc.want, string(got)} {
				if err := yaml.Unmarshal([]byte(text), &documents[i]); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(documents[0], documents[1]); diff != "" {
				t.Errorf("configuration (−want +got):\n%s", diff)
			}
		})
	}
	if _, err := (&Options{Config: []byte("flowControl: {defaultRequestTTL: soon}"), Speed: 0.5}).document(""); err == nil {
		t.Error("a time was taken that is none")
	}
}
