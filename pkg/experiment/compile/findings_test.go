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

// Findings that rest on more of a scenario than the router: of the Llama of the test, the nodes have room
// for 2 × 2 replicas of 4 accelerators each.
func TestAPlanHoldsFindingsAcrossTheScenario(t *testing.T) {
	precise := func(pods string) string {
		return `
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: token-producer
  parameters: {modelName: my-model, vllm: {url: "http://render:8000"}}
- type: endpoint-notification-source
- type: precise-prefix-cache-producer
  parameters: {speculativeIndexing: true` + pods + `}
- type: prefix-cache-scorer
  parameters: {prefixMatchInfoProducerName: precise-prefix-cache-producer}
schedulingProfiles:
- {name: default, plugins: [{pluginRef: prefix-cache-scorer}]}
dataLayer:
  sources: [{pluginRef: endpoint-notification-source, extractors: [{pluginRef: precise-prefix-cache-producer}]}]
`
	}
	config := func(text string) func(*v1alpha1.Scenario) {
		return func(s *v1alpha1.Scenario) { s.Router.EndpointPickerConfig.Inline = &text }
	}
	replicas := func(n int32) func(*v1alpha1.Scenario) {
		return func(s *v1alpha1.Scenario) { s.Pools[0].Replicas = n }
	}
	prefix := func(tokens int32) func(*v1alpha1.Scenario) {
		return func(s *v1alpha1.Scenario) {
			for i := range s.Workload.Clients {
				s.Workload.Clients[i].Prefix = &v1alpha1.Prefix{Group: "system", Tokens: tokens}
			}
		}
	}
	scaler := func(most int32) func(*v1alpha1.Scenario) {
		return func(s *v1alpha1.Scenario) {
			s.Pools[0].TensorParallelism, s.Pools[0].NodePool = 4, "big"
			s.NodePools = []v1alpha1.NodePool{{Name: "big", AcceleratorsPerNode: 8, MaxNodes: 2}}
			s.Scalers = []v1alpha1.Scaler{{Name: "s", Pools: []string{s.Pools[0].Name}, Policy: "queue-length", MinReplicas: ptr.To(int32(1)), MaxReplicas: most, Parameters: map[string]v1alpha1.PolicyParameter{"target": "1"}}}
		}
	}
	scaledTo := func(most int32) func(*v1alpha1.Scenario) {
		return func(s *v1alpha1.Scenario) {
			s.Scalers = []v1alpha1.Scaler{{Name: "s", Pools: []string{s.Pools[0].Name}, Policy: "queue-length", MinReplicas: ptr.To(int32(1)), MaxReplicas: most, Parameters: map[string]v1alpha1.PolicyParameter{"target": "1"}}}
		}
	}
	ranks := func(n int32, balancing v1alpha1.DataParallelBalancing) func(*v1alpha1.Scenario) {
		return func(s *v1alpha1.Scenario) {
			s.Pools[0].Replicas, s.Pools[0].DataParallelism, s.Pools[0].DataParallelBalancing = 2, n, balancing
		}
	}
	another := func(change func(*v1alpha1.Client)) func(*v1alpha1.Scenario) {
		return func(s *v1alpha1.Scenario) {
			c := *s.Workload.Clients[0].DeepCopy()
			c.Name = "another"
			change(&c)
			s.Workload.Clients = append(s.Workload.Clients, c)
		}
	}
	for name, tc := range map[string]struct {
		change []func(*v1alpha1.Scenario)
		rule   string
		want   bool
	}{
		"an index of 10 holders and 11 endpoints": {[]func(*v1alpha1.Scenario){config(precise("")), replicas(11)}, "precise-few-holders", true},
		"an index of 10 holders and 10 endpoints": {[]func(*v1alpha1.Scenario){config(precise("")), replicas(10)}, "precise-few-holders", false},
		"an index of 11 holders":                  {[]func(*v1alpha1.Scenario){config(precise(", indexerConfig: {kvBlockIndexConfig: {inMemoryConfig: {size: 1000000, podCacheSize: 11}}}")), replicas(11)}, "precise-few-holders", false},
		"2 replicas of 8 ranks with a port each":  {[]func(*v1alpha1.Scenario){config(precise("")), ranks(8, "External")}, "precise-few-holders", true},
		"2 replicas of 8 ranks behind one port":   {[]func(*v1alpha1.Scenario){config(precise("")), ranks(8, v1alpha1.InternalBalancing)}, "precise-few-holders", false},
		"a scaler's maximum of 11":                {[]func(*v1alpha1.Scenario){config(precise("")), scaledTo(11)}, "precise-few-holders", true},
		"a scaler's maximum of 10":                {[]func(*v1alpha1.Scenario){config(precise("")), scaledTo(10)}, "precise-few-holders", false},
		"prefixes of 63 and 64 tokens":            {[]func(*v1alpha1.Scenario){prefix(63), another(func(c *v1alpha1.Client) { c.Prefix.Tokens = 64 })}, "prefix-below-block", false},
		"a prefix of 63 tokens, and sessions": {[]func(*v1alpha1.Scenario){prefix(63), another(func(c *v1alpha1.Client) {
			c.Sessions = &v1alpha1.Sessions{Concurrent: ptr.To(int32(1)), Turns: v1alpha1.Lengths{Distribution: "Constant", Mean: "3", Min: 1}, Context: "Accumulate", Order: "Cycle"}
		})}, "prefix-below-block", false},
		"a prefix of 63 tokens":   {[]func(*v1alpha1.Scenario){prefix(63)}, "prefix-below-block", true},
		"a prefix of 64 tokens":   {[]func(*v1alpha1.Scenario){prefix(64)}, "prefix-below-block", false},
		"a policy's maximum of 5": {[]func(*v1alpha1.Scenario){scaler(5)}, "max-beyond-nodes", true},
		"a policy's maximum of 4": {[]func(*v1alpha1.Scenario){scaler(4)}, "max-beyond-nodes", false},
	} {
		t.Run(name, func(t *testing.T) {
			found := false
			plan := mustCompileRun(t, func(s *v1alpha1.Scenario) {
				for _, change := range tc.change {
					change(s)
				}
			}).Plan
			for _, f := range plan.Findings {
				found = found || f.Rule == tc.rule
			}
			if found != tc.want {
				t.Errorf("%s is found: %v, in %s", tc.rule, found, plan.Remarks())
			}
		})
	}
}
