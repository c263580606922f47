// SPDX-License-Identifier: Apache-2.0

package builder

import (
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// DefaultPickerConfig is the built-in default profile of the llm-d router.
const DefaultPickerConfig = `apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: queue-scorer
- type: kv-cache-utilization-scorer
- type: prefix-cache-scorer
schedulingProfiles:
- name: default
  plugins:
  - pluginRef: queue-scorer
    weight: 2
  - pluginRef: kv-cache-utilization-scorer
    weight: 2
  - pluginRef: prefix-cache-scorer
    weight: 3
`

// RandomPickerConfig routes at random.
const RandomPickerConfig = `apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: random-picker
schedulingProfiles:
- name: default
  plugins:
  - pluginRef: random-picker
`

// smallScenario takes milliseconds to simulate: one pool of two replicas, one
// client with a shared prefix, 100 requests, one SLO.
func smallScenario() v1alpha1.Scenario {
	return v1alpha1.Scenario{
		Horizon: v1alpha1.Horizon{Requests: ptr.To[int64](100)},
		Pools: []v1alpha1.Pool{{
			Name:        "llama",
			Model:       "meta-llama/Llama-3.1-8B-Instruct",
			Accelerator: "h100-sxm",
			Replicas:    2,
		}},
		Router: v1alpha1.Router{EndpointPickerConfig: v1alpha1.EndpointPickerConfig{Inline: ptr.To(DefaultPickerConfig)}},
		Workload: v1alpha1.Workload{Clients: []v1alpha1.Client{
			makeClient("chat", "10"),
		}},
		SLOs: []v1alpha1.SLO{makeSLO("default", "500ms")},
	}
}

func makeClient(name, rate string) v1alpha1.Client {
	return v1alpha1.Client{
		Name:         name,
		Arrivals:     v1alpha1.Arrivals{Rate: v1alpha1.PositiveDecimal(rate)},
		InputTokens:  v1alpha1.Lengths{Mean: "256"},
		OutputTokens: v1alpha1.Lengths{Mean: "32"},
		Prefix:       &v1alpha1.Prefix{Group: name, Tokens: 512},
	}
}
