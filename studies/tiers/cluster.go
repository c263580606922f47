// SPDX-License-Identifier: Apache-2.0

package main

import (
	"windtunnel.dev/windtunnel/internal/reference"
	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// routing is how the cluster chooses replicas.
type routing string

const (
	// byDefault is the EPP's default profile: prefix 3, queue 2, KV cache 2. It
	// believes that a replica holds as many blocks as its engine reports, of 64
	// tokens each.
	byDefault = plugins + weighed
	// byLongMemory is the same, but never forgets where a prefix was sent.
	byLongMemory = plugins + longMemory + weighed
	// byPrefix lets nothing but that prefix count, and breaks ties at random.
	byPrefix = plugins + longMemory + alone
)

const (
	plugins routing = `
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:`
	longMemory routing = `
- type: approx-prefix-cache-producer
  parameters: {autoTune: false, blockSizeTokens: 64, lruCapacityPerServer: 100000000}`
	weighed routing = `
- type: prefix-cache-scorer
- type: queue-scorer
- type: kv-cache-utilization-scorer
- type: max-score-picker
schedulingProfiles:
- name: default
  plugins:
  - {pluginRef: prefix-cache-scorer, weight: 3}
  - {pluginRef: queue-scorer, weight: 2}
  - {pluginRef: kv-cache-utilization-scorer, weight: 2}
  - {pluginRef: max-score-picker}
`
	alone routing = `
- type: prefix-cache-scorer
- type: max-score-picker
schedulingProfiles:
- name: default
  plugins:
  - {pluginRef: prefix-cache-scorer}
  - {pluginRef: max-score-picker}
`
)

// onCluster is the trace on eight replicas of Llama-3.1-8B, one H100 each, with
// those caches.
func onCluster(recorded *trace.Trace, s setup, d devices, how routing, seed int64) (simulator.Config, error) {
	router, errs := epp.Load([]byte(how), "", nil)
	if len(errs) > 0 {
		return simulator.Config{}, errs.ToAggregate()
	}
	cfg := reference.Replay(recorded, replicas, seed)
	cfg.Policies.Routing = epp.New(router, config.Cluster{Endpoints: replicas}, seed).Routing()
	cfg.Source = recorded.Replay(trace.Replay{RateScale: 1, Arrivals: trace.Spread}, seed)
	p := &cfg.Pools[0]
	p.KVBlocks, p.BlockBytes, p.Tiers = s.gpu, clusterBlockTokens*kvBytesPerToken, s.tiers(d)
	return cfg, nil
}
