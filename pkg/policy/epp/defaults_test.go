// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/jsontest"
)

// What the loader makes in every document, in the order of making: without a
// handler, without a picker, and so on.
const (
	madePolicies = "[fcfs-ordering-policy] [global-strict-fairness-policy] [static-usage-limit-policy]"
	madeParsers  = "[openai-parser] [anthropic-parser] [vllmhttp-parser] [passthrough-parser]"
	madeMetrics  = "[metrics-data-source] [core-metrics-extractor]"
	madeRest     = madePolicies + " " + madeParsers + " [utilization-detector] " + madeMetrics
)

func TestLoaderMakesMissingPlugins(t *testing.T) {
	cases := map[string]struct {
		body string
		want string
	}{
		"all that a lone scorer needs": {
			body: "plugins: [{type: queue-scorer}]",
			want: "queue-scorer [single-profile-handler] [max-score-picker] " + madeRest,
		},
		"nothing that is there": {
			body: "plugins: [{type: single-profile-handler}, {type: random-picker}, {type: openai-parser}, {type: fcfs-ordering-policy}]\n" +
				"requestHandler: {parsers: [{pluginRef: openai-parser}]}",
			want: "single-profile-handler random-picker openai-parser fcfs-ordering-policy " +
				"[global-strict-fairness-policy] [static-usage-limit-policy] [utilization-detector] " + madeMetrics,
		},
		"a parser that is listed by its type only": {
			body: "plugins: [{type: random-picker}]\nrequestHandler: {parsers: [{pluginRef: vllmgrpc-parser}]}",
			want: "random-picker [single-profile-handler] " + madePolicies + " [vllmgrpc-parser] [utilization-detector] " + madeMetrics,
		},
		"no metrics where the document objects": {
			body: "plugins: [{type: random-picker}, {name: m, type: metrics-data-source}]\n" +
				"dataLayer: {injectDefaults: false, sources: [{pluginRef: m}]}",
			want: "random-picker m=metrics-data-source [single-profile-handler] " + madePolicies + " " + madeParsers + " [utilization-detector]",
		},
		"metrics beside a source of another name": {
			body: "plugins: [{type: random-picker}, {name: m, type: metrics-data-source}]\ndataLayer: {sources: [{pluginRef: m}]}",
			want: "random-picker m=metrics-data-source [single-profile-handler] " + madeRest,
		},
		"no metrics beside a source of the default name": {
			body: "plugins: [{type: random-picker}, {type: metrics-data-source}]\ndataLayer: {sources: [{pluginRef: metrics-data-source}]}",
			want: "random-picker metrics-data-source [single-profile-handler] " + madePolicies + " " + madeParsers + " [utilization-detector]",
		},
		"the producers of a prefix scorer, transitively": {
			body: "plugins: [{type: prefix-cache-scorer}, {type: random-picker}]",
			want: "prefix-cache-scorer random-picker [single-profile-handler] " + madeRest + " [approx-prefix-cache-producer] [token-producer]",
		},
		"the producers of an in-flight scorer, without a prefix producer": {
			body: "plugins: [{type: active-request-scorer}, {type: random-picker}]",
			want: "active-request-scorer random-picker [single-profile-handler] " + madeRest + " [inflight-load-producer] [token-producer]",
		},
		"no second producer where one is selected by name": {
			body: "plugins: [{type: prefix-cache-scorer, parameters: {prefixMatchInfoProducerName: mine}}, " +
				"{name: mine, type: approx-prefix-cache-producer}, {type: token-producer}, {type: random-picker}]",
			want: "prefix-cache-scorer mine=approx-prefix-cache-producer token-producer random-picker [single-profile-handler] " + madeRest,
		},
		"the default producer beside one of another name": {
			body: "plugins: [{type: prefix-cache-scorer}, {name: mine, type: approx-prefix-cache-producer}, {type: random-picker}]",
			want: "prefix-cache-scorer mine=approx-prefix-cache-producer random-picker [single-profile-handler] " + madeRest +
				" [approx-prefix-cache-producer] [token-producer]",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, pluginNames(mustLoad(t, tc.body))); diff != "" {
				t.Errorf("plugins (-want +got):\n%s", diff)
			}
		})
	}
}

func TestProfilesAreCompleted(t *testing.T) {
	cases := map[string]struct {
		body string
		want string
	}{
		"no profile: one of every filter, scorer and picker, in the order of the document": {
			body: "plugins: [{type: utilization-detector}, {type: token-producer}, {type: random-picker}, {type: queue-scorer}]",
			want: `[{"name":"default","plugins":[{"pluginRef":"utilization-detector"},{"pluginRef":"random-picker"},{"pluginRef":"queue-scorer","weight":1}]}]`,
		},
		"an empty list of profiles is none": {
			body: "plugins: [{type: queue-scorer}]\nschedulingProfiles: []",
			want: `[{"name":"default","plugins":[{"pluginRef":"queue-scorer","weight":1},{"pluginRef":"max-score-picker"}]}]`,
		},
		"no plugin at all: a random choice among equal scores": {
			body: "",
			want: `[{"name":"default","plugins":[{"pluginRef":"max-score-picker"}]}]`,
		},
		"missing weights are 1, those stated stay as they are": {
			body: "plugins: [{type: queue-scorer}, {type: load-aware-scorer}, {type: kv-cache-utilization-scorer}]\n" +
				"schedulingProfiles: [{name: p, plugins: [{pluginRef: queue-scorer}, {pluginRef: load-aware-scorer, weight: -0.5}, {pluginRef: kv-cache-utilization-scorer, weight: 0}]}]",
			want: `[{"name":"p","plugins":[{"pluginRef":"queue-scorer","weight":1},{"pluginRef":"load-aware-scorer","weight":-0.5},` +
				`{"pluginRef":"kv-cache-utilization-scorer","weight":0},{"pluginRef":"max-score-picker"}]}]`,
		},
		"an unreferenced picker becomes the default": {
			body: "plugins: [{type: queue-scorer}, {name: r, type: random-picker}]\nschedulingProfiles: [{name: p, plugins: [{pluginRef: queue-scorer}]}]",
			want: `[{"name":"p","plugins":[{"pluginRef":"queue-scorer","weight":1},{"pluginRef":"r"}]}]`,
		},
		"of several unreferenced pickers the first": {
			body: "plugins: [{type: weighted-random-picker}, {type: random-picker}]\nschedulingProfiles: [{name: p}]",
			want: `[{"name":"p","plugins":[{"pluginRef":"weighted-random-picker"}]}]`,
		},
		"a weight of what is no scorer is left out": {
			body: "plugins: [{type: random-picker}]\nschedulingProfiles: [{name: p, plugins: [{pluginRef: random-picker, weight: 3}]}]",
			want: `[{"name":"p","plugins":[{"pluginRef":"random-picker"}]}]`,
		},
		"a scorer may count twice": {
			body: "plugins: [{type: queue-scorer}]\nschedulingProfiles: [{name: p, plugins: [{pluginRef: queue-scorer}, {pluginRef: queue-scorer, weight: 2}]}]",
			want: `[{"name":"p","plugins":[{"pluginRef":"queue-scorer","weight":1},{"pluginRef":"queue-scorer","weight":2},{"pluginRef":"max-score-picker"}]}]`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := jsontest.Encode(t, mustLoad(t, tc.body).Document.SchedulingProfiles)
			if diff := cmp.Diff(tc.want, string(got)); diff != "" {
				t.Errorf("profiles (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParametersAreCompleted(t *testing.T) {
	cases := map[string]struct{ plugin, want string }{
		"queue-scorer":       {"{type: queue-scorer}", `null`},
		"load-aware-scorer":  {"{type: load-aware-scorer}", `{"threshold":128}`},
		"load-aware, 0":      {"{type: load-aware-scorer, parameters: {threshold: 0}}", `{"threshold":128}`},
		"null is no value":   {"{type: load-aware-scorer, parameters: {threshold: null}}", `{"threshold":128}`},
		"any case will do":   {"{type: load-aware-scorer, parameters: {THRESHOLD: 5}}", `{"threshold":5}`},
		"max-score-picker":   {"{type: max-score-picker}", `{"maxNumOfEndpoints":1}`},
		"picker, negative":   {"{type: random-picker, parameters: {maxNumOfEndpoints: -2}}", `{"maxNumOfEndpoints":1}`},
		"no parameters":      {"{type: token-producer}", `{}`},
		"static usage limit": {"{type: static-usage-limit-policy}", `{"threshold":1}`},
		"active-request-scorer": {
			"{type: active-request-scorer}",
			`{"idleThreshold":0,"maxBusyScore":1,"inFlightLoadProducerName":"inflight-load-producer"}`,
		},
		"active-request-scorer out of range": {
			"{type: active-request-scorer, parameters: {requestTimeout: 2m, idleThreshold: -1, maxBusyScore: 1.5}}",
			`{"idleThreshold":0,"maxBusyScore":1,"inFlightLoadProducerName":"inflight-load-producer"}`,
		},
		"active-request-scorer may not like busy ones at all": {
			"{type: active-request-scorer, parameters: {maxBusyScore: 0}}",
			`{"idleThreshold":0,"maxBusyScore":0,"inFlightLoadProducerName":"inflight-load-producer"}`,
		},
		"prefix-cache-scorer": {
			"{type: prefix-cache-scorer}",
			`{"prefixMatchInfoProducerName":"approx-prefix-cache-producer","matchLengthWeight":0,"matchLengthScaleTokens":8192}`,
		},
		"approx-prefix-cache-producer": {
			"{type: approx-prefix-cache-producer}",
			`{"autoTune":true,"blockSizeTokens":16,"maxPrefixBlocksToMatch":2048,"maxPrefixTokensToMatch":131072,"lruCapacityPerServer":31250}`,
		},
		"approx-prefix-cache-producer with the old name of the block size": {
			"{type: approx-prefix-cache-producer, parameters: {blockSize: 128, lruCapacityPerServer: 0}}",
			`{"autoTune":true,"blockSizeTokens":128,"maxPrefixBlocksToMatch":2048,"maxPrefixTokensToMatch":131072,"lruCapacityPerServer":31250}`,
		},
		"inflight-load-producer": {
			"{type: inflight-load-producer}",
			`{"addEstimatedOutputTokens":false,"outputRatio":1.5,"prefixMatchInfoProducerName":"approx-prefix-cache-producer","syncCrossReplicaState":true}`,
		},
		"utilization-detector": {
			"{type: utilization-detector}",
			`{"queueDepthThreshold":5,"kvCacheUtilThreshold":0.8,"metricsStalenessThreshold":"200ms","headroom":0}`,
		},
		"token-load-scorer": {
			"{type: token-load-scorer}, {type: inflight-load-producer}",
			`{"queueThresholdTokens":4194304,"inFlightLoadProducerName":"inflight-load-producer","nonTextTokenWeight":1}`,
		},
		"prefix-cache-affinity-filter": {
			"{type: prefix-cache-affinity-filter}",
			`{"affinityThreshold":0.8,"explorationProbability":0,"maxTTFTPenaltyMs":18000,"ttftSource":"prefillThroughput","peakPrefillThroughput":15928,` +
				`"prefixMatchInfoProducerName":"approx-prefix-cache-producer","latencyPredictionInfoProducerName":"predicted-latency-producer","inFlightLoadProducerName":"inflight-load-producer"}`,
		},
		"no-hit-lru-scorer": {
			"{type: no-hit-lru-scorer, parameters: {prefixPluginName: a, prefixPluginType: b}}",
			`{"lruSize":1024,"prefixMatchInfoProducerName":"approx-prefix-cache-producer"}`,
		},
		"context-length-aware": {
			"{type: context-length-aware}",
			`{"label":"llm-d.ai/context-length-range","enableFiltering":false}`,
		},
		"session-affinity-scorer": {
			"{type: session-affinity-scorer}",
			`{"strategy":"encoded_endpoint_header","encodedEndpointHeaderConfig":{"header":"x-session-token"}}`,
		},
		"session-affinity-filter by session": {
			"{type: session-affinity-filter, parameters: {strategy: session_id}}",
			`{"strategy":"session_id","sessionIdConfig":{"sources":[{"header":"x-session-id"}],"evictionTtlSeconds":300,"evictionSweepSeconds":10}}`,
		},
		"utilization-filter": {
			"{type: utilization-filter, parameters: {conditions: [{metric: waiting-queue, maxValue: 3}]}}",
			`{"conditions":[{"metric":"waiting-queue","maxValue":3}],"fallbackOnEmpty":false,"inFlightLoadProducerName":"inflight-load-producer"}`,
		},
		"concurrency-detector": {
			"{type: concurrency-detector}",
			`{"maxConcurrency":100,"headroom":0,"concurrencyMode":"requests","maxTokenConcurrency":1000000,"inFlightLoadProducerName":"inflight-load-producer"}`,
		},
		"probabilistic-admitter": {
			"{type: probabilistic-admitter}",
			`{"queueDepthThreshold":5,"kvCacheUtilThreshold":0.8,"power":5,"k":300}`,
		},
		"decode-filter": {"{type: decode-filter, parameters: {x: y}}", `null`},
		"metrics-data-source": {
			"{type: metrics-data-source}",
			`{"scheme":"http","path":"/metrics","insecureSkipVerify":true}`,
		},
		"core-metrics-extractor": {
			"{type: core-metrics-extractor}",
			`{"engineLabelKey":"llm-d.ai/engine-type","defaultEngine":"vllm"}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := mustLoad(t, "plugins: ["+tc.plugin+"]")
			got := jsontest.Encode(t, c.Document.Plugins[0].Parameters)
			if diff := cmp.Diff(tc.want, string(got)); diff != "" {
				t.Errorf("parameters (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEmptyFileIsTheBuiltInConfiguration(t *testing.T) {
	c, errs := Load(nil, "", inline)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	want := `{"apiVersion":"llm-d.ai/v1alpha1","kind":"EndpointPickerConfig",` +
		`"featureGates":["flowControl=false","haPopulateNonLeaderDatastore=true"],"plugins":[{"name":"queue-scorer","type":"queue-scorer"},`
	if got := marshal(t, c); !strings.HasPrefix(got, want) {
		t.Errorf("begins with\n%s\nwant\n%s", got[:len(want)], want)
	}
	wantScorers := `"plugins":[{"pluginRef":"queue-scorer","weight":2},{"pluginRef":"kv-cache-utilization-scorer","weight":2},{"pluginRef":"prefix-cache-scorer","weight":3},{"pluginRef":"max-score-picker"}]`
	if got := marshal(t, c); !strings.Contains(got, wantScorers) {
		t.Errorf("%s\nhas no\n%s", got, wantScorers)
	}
}

func TestDeprecatedFieldsMoveUnlessTheNewOnesAreSet(t *testing.T) {
	cases := map[string]struct {
		body         string
		wantDetector string
		wantParser   string
	}{
		"old ones": {
			body:         "plugins: [{name: d, type: utilization-detector}, {name: p, type: openai-parser}]\nsaturationDetector: {pluginRef: d}\nparser: {pluginRef: p}",
			wantDetector: "d", wantParser: "p",
		},
		"both": {
			body: "plugins: [{name: d, type: utilization-detector}, {name: p, type: openai-parser}]\nsaturationDetector: {pluginRef: d}\nparser: {pluginRef: p}\n" +
				"flowControl: {saturationDetector: {pluginRef: utilization-detector}}\nrequestHandler: {parsers: [{pluginRef: anthropic-parser}]}",
			wantDetector: "utilization-detector", wantParser: "anthropic-parser",
		},
		"an empty reference": {
			body:         "saturationDetector: {}",
			wantDetector: "utilization-detector", wantParser: "openai-parser",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := mustLoad(t, tc.body)
			if got := c.Document.FlowControl.SaturationDetector.PluginRef; got != tc.wantDetector {
				t.Errorf("saturation detector %s, want %s", got, tc.wantDetector)
			}
			if got := c.Document.RequestHandler.Parsers[0].PluginRef; got != tc.wantParser {
				t.Errorf("first parser %s, want %s", got, tc.wantParser)
			}
		})
	}
}

func TestFeatureGates(t *testing.T) {
	cases := map[string]struct{ gates, want string }{
		"none":            {"[]", "flowControl=false haPopulateNonLeaderDatastore=true"},
		"off":             {"[flowControl=false, haPopulateNonLeaderDatastore=0]", "flowControl=false haPopulateNonLeaderDatastore=false"},
		"the last holds":  {"[haPopulateNonLeaderDatastore=false, haPopulateNonLeaderDatastore]", "flowControl=false haPopulateNonLeaderDatastore=true"},
		"case and spaces": {`["flowControl= FALSE "]`, "flowControl=false haPopulateNonLeaderDatastore=true"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := strings.Join(mustLoad(t, "featureGates: "+tc.gates).Document.FeatureGates, " ")
			if got != tc.want {
				t.Errorf("gates %s, want %s", got, tc.want)
			}
		})
	}
}
