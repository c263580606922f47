// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"testing"

	yamlv3 "go.yaml.in/yaml/v3"
)

// The longest prefix decides whether no prompt matches another, and sessions share more than a prefix. Of 2 replicas
// with 8 ranks, a router has 16 endpoints if each rank has a port, and 2 if each replica has one.
func TestContextOfAScenario(t *testing.T) {
	for name, tc := range map[string]struct {
		model, scenario   string
		shared, endpoints int
	}{
		"two prefixes":               {"", `{workload: {clients: [{prefix: {tokens: 32}}, {prefix: {tokens: 4000}}, {}]}}`, 4000, 0},
		"of the model":               {"x", `{workload: {clients: [{model: x, prefix: {tokens: 32}}, {model: y, prefix: {tokens: 4000}}, {model: y, sessions: {}}]}}`, 32, 0},
		"a prefix and sessions":      {"x", `{workload: {clients: [{model: x, prefix: {tokens: 32}}, {model: x, sessions: {}}]}}`, 0, 0},
		"a prefix and a preset":      {"x", `{workload: {clients: [{model: x, prefix: {tokens: 32}}, {model: x, preset: {name: chat}}]}}`, 0, 0},
		"a prefix and a trace":       {"x", `{workload: {clients: [{model: x, prefix: {tokens: 32}}], trace: {}}}`, 0, 0},
		"a port for each rank":       {"x", `{pools: [{model: x, replicas: 2, dataParallelism: 8, dataParallelBalancing: External}]}`, 0, 16},
		"one port for all ranks":     {"x", `{pools: [{model: x, replicas: 2, dataParallelism: 8, dataParallelBalancing: Internal}]}`, 0, 2},
		"the maximum of a scaler":    {"x", `{pools: [{model: x, name: a, replicas: 2}, {model: x, name: b, replicas: 2}], scalers: [{pools: [a], maxReplicas: 9}]}`, 0, 11},
		"the maximum of a manifest":  {"x", `{pools: [{model: x, name: a, replicas: 2}], scalers: [{pools: [a], horizontalPodAutoscaler: {inline: "spec: {minReplicas: 1, maxReplicas: 9}"}}]}`, 0, 9},
		"the maximum of KEDA's":      {"x", `{pools: [{model: x, name: a, replicas: 2}], scalers: [{pools: [a], scaledObject: {inline: "spec: {maxReplicaCount: 9}"}}]}`, 0, 9},
		"the maximum of another one": {"x", `{pools: [{model: x, name: a, replicas: 2}], scalers: [{pools: [b], maxReplicas: 9}]}`, 0, 2},
	} {
		var document yamlv3.Node
		if err := yamlv3.Unmarshal([]byte(tc.scenario), &document); err != nil {
			t.Fatal(err)
		}
		c := contextOf(document.Content[0], nil, tc.model)
		if c.SharedTokens != tc.shared || c.Endpoints != tc.endpoints {
			t.Errorf("%s: %d shared tokens and %d endpoints, want %d and %d", name, c.SharedTokens, c.Endpoints, tc.shared, tc.endpoints)
		}
	}
}
