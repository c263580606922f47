// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

// checkFixedPoint loads what a configuration is marshalled to: nothing may
// change, the plugins' treatments included.
func checkFixedPoint(t *testing.T, c *config.Config, version string) {
	t.Helper()
	first := marshal(t, c)
	again, errs := Load([]byte(first), version, nil)
	if len(errs) > 0 {
		t.Fatalf("refused: %v\n%s", errs.ToAggregate(), first)
	}
	if diff := cmp.Diff(first, marshal(t, again)); diff != "" {
		t.Fatalf("loaded again (-want +got):\n%s", diff)
	}
	want, got := c.Report(nil), again.Report(nil)
	for i := range want {
		want[i].Created = false // by now the document lists them all
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	if again.TokensOff != c.TokensOff || again.Scraped != c.Scraped {
		t.Errorf("tokensOff %t, scraped %t, want %t, %t", again.TokensOff, again.Scraped, c.TokensOff, c.Scraped)
	}
}

// everything uses every type and field that is built.
const everything = header + `
featureGates: [flowControl=false, haPopulateNonLeaderDatastore=false]
plugins:
- type: queue-scorer
- type: kv-cache-utilization-scorer
- type: running-requests-size-scorer
- {name: load, type: load-aware-scorer, parameters: {threshold: 7}}
- {type: active-request-scorer, parameters: {requestTimeout: 2m, idleThreshold: 3, maxBusyScore: 0.25, inFlightLoadProducerName: in-flight}}
- {type: prefix-cache-scorer, parameters: {prefixMatchInfoProducerName: prefixes, matchLengthWeight: 0.3, matchLengthScaleTokens: 1000}}
- {name: prefixes, type: approx-prefix-cache-producer, parameters: {autoTune: false, blockSize: 256, maxPrefixBlocksToMatch: 0, maxPrefixTokensToMatch: 0, lruCapacityPerServer: 99}}
- {name: in-flight, type: inflight-load-producer, parameters: {addEstimatedOutputTokens: true, outputRatio: 0.1, maxEstimatedOutputTokens: 50, prefixMatchInfoProducerName: prefixes, syncCrossReplicaState: false}}
- {name: tokens, type: token-producer, parameters: {modelName: m, vllm: {url: "http://x", timeout: 1s, mmTimeout: 2s}}}
- {name: estimates, type: token-producer, parameters: {estimate: {image: {mode: static, static: {staticToken: 3}, dynamic: {factor: 2}, defaultResolution: {width: 1, height: 2}},
    video: {defaultDuration: 1.5, tokensPerFrame: {mode: dynamic, static: {numTokensPerFrame: 4}, dynamic: {factor: 5}}, frames: {mode: strided, minFrames: 1, maxFrames: 2, sampled: {sampleFPS: 0.5, temporalPatchSize: 2}, strided: {defaultSourceFPS: 24, frameStride: 3}}, maxVideoTokens: 9}}}}
- type: single-profile-handler
- {type: max-score-picker, parameters: {maxNumOfEndpoints: 3}}
- type: random-picker
- type: weighted-random-picker
- {name: detector, type: utilization-detector, parameters: {queueDepthThreshold: 9, kvCacheUtilThreshold: 0.5, metricsStalenessThreshold: 1500ms, headroom: 0.125}}
- {type: token-load-scorer, parameters: {queueThresholdTokens: 1000, inFlightLoadProducerName: in-flight}}
- {type: no-hit-lru-scorer, parameters: {prefixPluginType: a, prefixPluginName: b, lruSize: 3, prefixMatchInfoProducerName: prefixes}}
- {type: context-length-aware, parameters: {label: l, enableFiltering: true}}
- type: lora-affinity-scorer
- {type: session-affinity-scorer, parameters: {encodedEndpointHeaderConfig: {header: h}, sessionIdConfig: {sources: [{header: h}]}, profileName: only}}
- {type: session-affinity-filter, parameters: {strategy: session_id, sessionIdConfig: {sources: [{attribute: a, producer: b}], evictionTtlSeconds: 1.5, evictionSweepSeconds: 1e-9}}}
- {type: prefix-cache-affinity-filter, parameters: {affinityThreshold: 0.5, explorationProbability: 0.5, maxTTFTPenaltyMs: 100, ttftSource: prefillThroughput, peakPrefillThroughput: 5000, prefixMatchInfoProducerName: prefixes, latencyPredictionInfoProducerName: x, inFlightLoadProducerName: in-flight}}
- {type: utilization-filter, parameters: {conditions: [{metric: active-requests, maxValue: 9}, {metric: kv-cache-utilization, maxValue: 1}], fallbackOnEmpty: true, inFlightLoadProducerName: in-flight}}
- type: decode-filter
- {type: by-label, parameters: {label: l, validValues: [v], allowsNoLabel: true}}
- {type: label-selector-filter, parameters: {matchExpressions: [{key: a, operator: NotIn, values: [b]}]}}
- {type: by-label-selector, parameters: {matchLabels: {b: c, a: d}}}
- {type: concurrency-detector, parameters: {maxConcurrency: 5, headroom: 0.5, concurrencyMode: hybrid, maxTokenConcurrency: 7, inFlightLoadProducerName: in-flight}}
- {type: probabilistic-admitter, parameters: {queueDepthThreshold: 3, kvCacheUtilThreshold: 0.5, power: 2, k: 4}}
- {type: agent-identity, parameters: {additionalSessionHeaders: [a, b]}}
- type: destination-endpoint-served-verifier
- {type: file-discovery, parameters: {path: /f, watchFile: true}}
- type: endpoint-notification-source
- {type: k8s-notification-source, parameters: {group: g, version: v1, kind: Pod}}
- {type: models-data-source, parameters: {scheme: https, path: /m, insecureSkipVerify: false, caCertPath: /c, clientCertPath: /d, clientKeyPath: /e, interval: 1s}}
- type: models-data-extractor
- {type: request-attribute-reporter, parameters: {attributes: [{key: {namespace: ns, name: a}, expression: '1', condition: 'true'}]}}
- {type: session-id-producer, parameters: {headerName: h}}
- {type: tokenizer, parameters: {modelName: m}}
- {type: mm-embeddings-cache-scorer, parameters: {producerName: images}}
- {name: images, type: mm-embeddings-cache-producer, parameters: {cacheSizeInMBPerServer: 5}}
- {type: prefix-based-pd-decider, parameters: {nonCachedTokens: 3, promptTokens: 4}}
- type: always-disagg-pd-decider
- type: always-disagg-multimodal-decider
- {type: disagg-headers-handler, parameters: {prefillProfile: p, encodeProfile: e}}
- {type: prefill-header-handler, parameters: {}}
- {type: topology-extractor, parameters: {hostname: a, rack: b, zone: c}}
- {type: topology-affinity-scorer, parameters: {topologyProducerName: x}}
- {type: topology-affinity-filter, parameters: {minAffinity: zone}}
- type: edf-ordering-policy
- type: slo-deadline-ordering-policy
- type: round-robin-fairness-policy
- {type: program-aware-fairness, parameters: {strategy: '', evictionTtlSeconds: 0, evictionSweepSeconds: 1, lasWeightService: 1, lasWeightHeadWait: 2, lasHalfLifeSeconds: 3}}
- {type: priority-holdback-policy, parameters: {shape: linear, domain: value, minCeiling: 0.25, maxCeiling: 0.75}}
- {type: soft-reflective-ceiling-policy, parameters: {}}
- type: sheddable-eviction-filter
- type: priority-then-time-eviction-order-policy
- {name: source, type: metrics-data-source, parameters: {scheme: https, path: /m, port: 8080, insecureSkipVerify: false, caCertPath: /c, clientCertPath: /d, clientKeyPath: /e, interval: 100ms}}
- {name: extractor, type: core-metrics-extractor, parameters: {engineLabelKey: l, defaultEngine: mine, engineConfigs: [{name: mine, kvUsageSpec: 'kv{a="b"}', customMetrics: [{attributeKey: k, metricSpec: m}]}]}}
- type: openai-parser
- {name: grpc, type: vllmgrpc-parser}
- type: sglanghttp-parser
- type: vertexai-parser
- type: fcfs-ordering-policy
- type: global-strict-fairness-policy
- {type: static-usage-limit-policy, parameters: {threshold: 0.9}}
schedulingProfiles:
- name: only
  plugins:
  - {pluginRef: detector}
  - {pluginRef: in-flight, weight: 3}
  - {pluginRef: queue-scorer, weight: -1.5}
  - {pluginRef: kv-cache-utilization-scorer, weight: 1e-3}
  - {pluginRef: running-requests-size-scorer, weight: 12345678901234567890}
  - {pluginRef: load, weight: 0}
  - {pluginRef: active-request-scorer}
  - {pluginRef: prefix-cache-scorer, weight: 0.1}
  - {pluginRef: token-load-scorer}
  - {pluginRef: no-hit-lru-scorer}
  - {pluginRef: context-length-aware}
  - {pluginRef: lora-affinity-scorer}
  - {pluginRef: mm-embeddings-cache-scorer}
  - {pluginRef: session-affinity-scorer}
  - {pluginRef: session-affinity-filter}
  - {pluginRef: prefix-cache-affinity-filter}
  - {pluginRef: utilization-filter}
  - {pluginRef: decode-filter}
  - {pluginRef: by-label}
  - {pluginRef: label-selector-filter}
  - {pluginRef: concurrency-detector}
  - {pluginRef: weighted-random-picker}
dataLayer:
  injectDefaults: false
  sources: [{pluginRef: source, extractors: [{pluginRef: extractor}]}, {pluginRef: endpoint-notification-source}, {pluginRef: k8s-notification-source}]
  discovery: {pluginRef: file-discovery}
  crossReplicaSyncInterval: 5s
flowControl:
  maxBytes: 1Gi
  maxRequests: 10
  defaultRequestTTL: 0s
  noEndpointRequestTTL: 1s
  defaultPriorityBand: {priority: 0, maxBytes: 1k}
  defaultNegativePriorityBand: {priority: -1}
  priorityBands: [{priority: 1, maxRequests: "5", fairnessPolicyRef: nobody, orderingPolicyRef: nobody}]
  usageLimitPolicyPluginRef: nobody
  saturationDetector: {pluginRef: detector}
  enableEviction: true
requestHandler:
  parsers: [{pluginRef: grpc}, {pluginRef: passthrough-parser}]
`

func TestLoadingWhatWasMarshalledChangesNothing(t *testing.T) {
	cases := map[string]string{
		"the built-in configuration": "",
		"no plugins":                 header,
		"everything":                 everything,
		"two profiles":               header + twoProfiles,
		"an older handler":           header + "plugins: [{type: pd-profile-handler, parameters: {decodeProfile: d, prefillProfile: p, prefixPluginName: x, primaryPort: 5, deciderPluginName: x, prefixMatchInfoProducerName: mine}}, {name: x, type: always-disagg-pd-decider}, {name: mine, type: approx-prefix-cache-producer}]\nschedulingProfiles: [{name: d}, {name: p}]",
		"a profile that never runs":  header + "plugins: [{type: disagg-profile-handler, parameters: {encodeProfile: e}}, {type: encode-filter}]\nschedulingProfiles: [{name: decode}, {name: e, plugins: [{pluginRef: encode-filter}]}]",
		"hidden prompts":             header + "requestHandler: {parsers: [{pluginRef: passthrough-parser}]}",
		"unscraped engines":          header + "plugins: [{type: inflight-load-producer}]\ndataLayer: {injectDefaults: false}",
	}
	paths, err := filepath.Glob(filepath.Join("testdata", "configs", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text := testfile.Read(t, path)
		cases[path] = string(text)
	}
	for name, text := range cases {
		t.Run(name, func(t *testing.T) {
			c, errs := Load([]byte(text), "router-main", nil)
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			checkFixedPoint(t, c, "router-main")
		})
	}
}

func TestPublishedConfigurationsAreFixedPoints(t *testing.T) {
	testdata.File(t, "epp")
	checked := 0
	for _, text := range dataConfigs(t) {
		if c, errs := Load(text, "", nil); len(errs) == 0 {
			checkFixedPoint(t, c, "")
			checked++
		}
	}
	t.Logf("%d configurations checked", checked)
}

func TestJSONAndYAMLMeanTheSame(t *testing.T) {
	c, errs := Load([]byte(everything), "router-main", nil)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	indented, err := json.MarshalIndent(c, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{string(indented), "# YAML, though it is JSON, too\n" + strings.ReplaceAll(string(indented), "\t", " ")} {
		again, errs := Load([]byte(text), "router-main", nil)
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		if diff := cmp.Diff(marshal(t, c), marshal(t, again)); diff != "" {
			t.Errorf("(-YAML +JSON):\n%s", diff)
		}
	}
}

// FuzzLoad feeds the loader with anything: it must not panic, errors and
// configurations exclude each other, and what it accepts is a fixed point.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(""))
	f.Add([]byte(header))
	f.Add([]byte(everything))
	f.Add([]byte(header + twoProfiles))
	f.Add([]byte(header + "plugins: [{type: pd-profile-handler}, {type: prefix-based-pd-decider}, {type: prefill-header-handler}]\nschedulingProfiles: [{name: decode}, {name: prefill}]"))
	f.Add([]byte(`{"apiVersion":"llm-d.ai/v1alpha1","kind":"EndpointPickerConfig","plugins":[{"type":"queue-scorer","type":"x"}]}`))
	f.Add([]byte(header + "plugins: [&a {type: queue-scorer}, *a]\nschedulingProfiles: [{name: p, plugins: [{pluginRef: queue-scorer, weight: .inf}]}]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, errs := Load(text, "router-main", nil)
		if (c == nil) != (len(errs) > 0) {
			t.Fatalf("configuration %v with errors %v", c, errs)
		}
		for _, err := range errs {
			_ = err.Error()
		}
		if c == nil {
			return
		}
		checkFixedPoint(t, c, "router-main")
		if len(c.Report(nil)) != len(c.Document.Plugins) {
			t.Fatal("a plugin is missing from the report")
		}
		s := New(c, config.Cluster{Endpoints: 3}, 1)
		for n := range 5 {
			r := request(n, 300)
			e, err := s.Route(idle(3), r)
			if err == nil {
				s.FirstToken(r, e.Endpoint)
			} else if !errors.Is(err, policy.ErrNoEndpoint) {
				t.Fatal(err)
			}
		}
	})
}
