// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// Guided is R with the profile that llm-d's guides recommend since 2026: to where
// the prompt is held, unless that is too busy, and there to the endpoint with the
// fewest tokens in flight.
func Guided(requests, replicas int, seed int64) simulator.Config {
	return withProfile(R(requests, replicas, seed), `
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
`)
}

// Precise is R with an EPP that knows the engines' caches from their events, 10 ms late.
func Precise(requests, replicas int, seed int64) simulator.Config {
	return withProfile(R(requests, replicas, seed), `
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: token-producer
  parameters: {modelName: meta-llama/Llama-3.1-8B-Instruct, vllm: {url: "http://render"}}
- type: precise-prefix-cache-producer
  parameters: {kvEventsConfig: {zmqEndpoint: "tcp://*:5557"}}
- type: prefix-cache-scorer
  parameters: {prefixMatchInfoProducerName: precise-prefix-cache-producer}
- type: queue-scorer
- type: kv-cache-utilization-scorer
schedulingProfiles:
- name: default
  plugins:
  - {pluginRef: prefix-cache-scorer, weight: 3}
  - {pluginRef: queue-scorer, weight: 2}
  - {pluginRef: kv-cache-utilization-scorer, weight: 2}
`)
}

// Guarded is Scaled with the EPP's flow control, which holds requests back while all replicas
// have 4 requests waiting.
func Guarded(requests, replicas int, seed int64) simulator.Config {
	return withProfile(Scaled(requests, replicas, seed), `
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
featureGates: [flowControl]
plugins:
- type: prefix-cache-scorer
- type: queue-scorer
- type: kv-cache-utilization-scorer
- type: utilization-detector
  parameters: {queueDepthThreshold: 4}
flowControl:
  defaultRequestTTL: 60s
  saturationDetector: {pluginRef: utilization-detector}
schedulingProfiles:
- name: default
  plugins:
  - {pluginRef: prefix-cache-scorer, weight: 3}
  - {pluginRef: queue-scorer, weight: 2}
  - {pluginRef: kv-cache-utilization-scorer, weight: 2}
`)
}

// withProfile replaces the router by an EPP with this configuration.
func withProfile(cfg simulator.Config, profile string) simulator.Config {
	cluster := config.Cluster{Endpoints: cfg.Pools[0].Replicas, ScrapeInterval: cfg.ScrapeInterval, EventLag: 10 * time.Millisecond}
	cfg.Policies.Routing = epp.New(load(profile), cluster, cfg.Seed).Routing()
	return cfg
}
