// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"strings"
)

// companyMutants put an extractor behind the one that is right for a data source, and
// give both names of their own.
func companyMutants() []mutant {
	right := []struct{ source, extractor string }{
		{"metrics-data-source", "core-metrics-extractor"},
		{"dcgm-data-source", "dcgm-extractor"},
		{"models-data-source", "models-data-extractor"},
		{"endpoint-notification-source", "topology-extractor"},
	}
	others := []string{
		"core-metrics-extractor", "dcgm-extractor", "models-data-extractor", "topology-extractor", "inflight-load-producer",
		"mm-embeddings-cache-producer", "precise-prefix-cache-producer", "approx-prefix-cache-producer", "queue-scorer", "random-picker",
		"no-such-plugin", "''",
	}
	var all []mutant
	for _, r := range right {
		for _, other := range others {
			for _, behind := range []bool{true, false} {
				list, order := "[{pluginRef: a}, {pluginRef: b}]", "behind"
				if !behind {
					list, order = "[{pluginRef: b}, {pluginRef: a}]", "before"
				}
				text := mutantHeader + pluginList("queue-scorer", "token-producer") +
					"- {type: " + r.source + ", name: s}\n- {type: " + r.extractor + ", name: a}\n"
				if other == "no-such-plugin" || other == "''" {
					list = strings.Replace(list, "pluginRef: b", "pluginRef: "+other, 1)
				} else {
					text += "- {type: " + other + ", name: b}\n"
				}
				all = append(all, mutant{
					fmt.Sprintf("company-%s-%s-%s.yaml", r.source, strings.Trim(other, "'"), order),
					text + "dataLayer:\n  sources:\n  - {pluginRef: s, extractors: " + list + "}\n",
				})
			}
		}
	}
	return all
}

// preciseMutants have parameters of the precise index and of its events.
func preciseMutants() []mutant {
	forms := []string{
		"{kvEventsConfig: {}}", "{kvEventsConfig: null}", "{kvEventsConfig: []}", "{kvEventsConfig: {zmqEndpoint: ''}}",
		"{kvEventsConfig: {zmqEndpoint: 5}}", "{kvEventsConfig: {topicFilter: ''}}", "{kvEventsConfig: {topicFilter: [kv]}}",
		"{kvEventsConfig: {topicFilter: 'kv@'}}", "{kvEventsConfig: {discoverPods: false}}", "{kvEventsConfig: {discoverPods: 'true'}}",
		"{kvEventsConfig: {discoverPods: null}}", "{kvEventsConfig: {engineType: vllm}}", "{kvEventsConfig: {engineType: sglang}}",
		"{kvEventsConfig: {engineType: VLLM}}", "{kvEventsConfig: {engineType: trtllm}}", "{kvEventsConfig: {engineType: ' vllm'}}",
		"{kvEventsConfig: {podDiscoveryConfig: null}}", "{kvEventsConfig: {podDiscoveryConfig: {}}}",
		"{kvEventsConfig: {podDiscoveryConfig: {podLabelSelector: 'a=b'}}}", "{kvEventsConfig: {podDiscoveryConfig: {podLabelSelector: '=='}}}",
		"{kvEventsConfig: {podDiscoveryConfig: {podNamespace: 5}}}", "{kvEventsConfig: {noSuchKey: 1}}", "{kvEventsConfig: {Concurrency: 2}}",
		"{kvEventsConfig: {concurrency: 2, concurrency: 3}}", "{noSuchKey: 1}", "{speculativeIndexing: true}", "{speculativeIndexing: 1}",
		"{speculativeIndexing: null}", "{tokenProcessorConfig: null}", "{tokenProcessorConfig: {}}", "{tokenProcessorConfig: {blockSizeTokens: 0}}",
		"{tokenProcessorConfig: {blockSizeTokens: -1}}", "{tokenProcessorConfig: {blockSizeTokens: 64}}", "{tokenProcessorConfig: {blockSizeTokens: 64.5}}",
		"{tokenProcessorConfig: {blockSize: 0}}", "{tokenProcessorConfig: {blockSize: -16}}", "{tokenProcessorConfig: {blockSize: 16}}",
		"{tokenProcessorConfig: {hashSeed: 5}}", "{tokenProcessorConfig: {hashSeed: '42'}}", "{tokenProcessorConfig: {hashSeed: ''}}",
		"{indexerConfig: null}", "{indexerConfig: {}}", "{indexerConfig: {kvBlockIndexConfig: null}}", "{indexerConfig: {kvBlockIndexConfig: {}}}",
		"{indexerConfig: {kvBlockIndexConfig: {inMemoryConfig: null}}}", "{indexerConfig: {kvBlockIndexConfig: {inMemoryConfig: {}}}}",
		"{indexerConfig: {kvBlockIndexConfig: {enableMetrics: true}}}", "{indexerConfig: {kvBlockIndexConfig: {enableMetrics: 'true'}}}",
		"{indexerConfig: {kvCacheBackendConfigs: null}}", "{indexerConfig: {kvCacheBackendConfigs: []}}",
		"{indexerConfig: {kvCacheBackendConfigs: [null]}}", "{indexerConfig: {kvCacheBackendConfigs: [{name: gpu, weight: 2}]}}",
		"{indexerConfig: {kvCacheBackendConfigs: [{name: gpu, weight: -1}]}}", "{indexerConfig: {kvCacheBackendConfigs: [{name: gpu, weight: '1'}]}}",
		"{indexerConfig: {noSuchKey: 1}}",
	}
	var all []mutant
	for _, owner := range []string{"precise-prefix-cache-producer", "precise-prefix-cache-scorer"} {
		for i, parameters := range forms {
			all = append(all, mutant{
				fmt.Sprintf("precise-%s-%02d.yaml", owner, i),
				mutantHeader + pluginList("token-producer", "random-picker") + "- {type: " + owner + ", parameters: " + parameters + "}\n",
			})
		}
	}
	return all
}

// parameterMutants have durations and numbers of detectors and producers.
func parameterMutants() []mutant {
	durations := []string{
		"0s", "5s", "'5s'", "5", "'5'", "0", "-5s", "1h30m", "1d", "' 5s'", "300us", "1ns", "2562047h", "2562048h", "''", "null", "true", "[5s]", "+5s", "s",
	}
	numbers := []string{"-1", "0", "1", "64", "0.5", "1.0", "1.5", "-0.5", "1e3", "1e30", "9223372036854775808", "'5'", "null", "true", "[1]", "''"}
	places := []struct {
		owner, name string
		values      []string
	}{
		{"utilization-detector", "metricsStalenessThreshold", durations},
		{"precise-prefix-cache-producer", "speculativeTTL", durations},
		{"active-request-scorer", "requestTimeout", durations},
		{"utilization-detector", "queueDepthThreshold", numbers},
		{"utilization-detector", "kvCacheUtilThreshold", numbers},
		{"utilization-detector", "headroom", numbers},
		{"concurrency-detector", "maxConcurrency", numbers},
		{"concurrency-detector", "headroom", numbers},
		{"approx-prefix-cache-producer", "blockSizeTokens", numbers},
		{"approx-prefix-cache-producer", "lruCapacityPerServer", numbers},
	}
	var all []mutant
	for _, p := range places {
		for i, value := range p.values {
			all = append(all, mutant{
				fmt.Sprintf("parameter-%s-%s-%02d.yaml", p.owner, p.name, i),
				mutantHeader + pluginList("queue-scorer", "token-producer") + "- {type: " + p.owner + ", parameters: {" + p.name + ": " + value + "}}\n",
			})
		}
	}
	return all
}
