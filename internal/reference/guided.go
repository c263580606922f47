// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// Guided is R with the profile that llm-d's guides recommend since 2026: to where
// the prompt is held, unless that is too busy, and there to the endpoint with the
// fewest tokens in flight.
func Guided(requests, replicas int, seed int64) simulator.Config {
	cfg := R(requests, replicas, seed)
	cfg.Policies.Routing = epp.New(load(`
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: inflight-load-producer
- type: approx-prefix-cache-producer
- type: prefix-cache-affinity-filter
- type: token-load-scorer
schedulingProfiles:
- name: default
  plugins:
  - pluginRef: prefix-cache-affinity-filter
  - pluginRef: token-load-scorer
`), config.Cluster{Endpoints: replicas}, seed).Routing()
	return cfg
}
