// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestFaultsNameTheirField(t *testing.T) {
	profile := func(plugins string) string { return "\nschedulingProfiles: [{name: p, plugins: [" + plugins + "]}]" }
	cases := map[string]struct {
		body string
		want []string
	}{
		"unknown field at the top": {
			body: "metadata: {name: x}",
			want: []string{`inline.metadata: Forbidden: unknown field; there are apiVersion, dataLayer, featureGates, flowControl, kind, parser, plugins, requestHandler, saturationDetector, schedulingProfiles`},
		},
		"fields of the document have one case": {
			body: "Plugins: []",
			want: []string{`inline.Plugins: Forbidden: unknown field; there are apiVersion, dataLayer, featureGates, flowControl, kind, parser, plugins, requestHandler, saturationDetector, schedulingProfiles; did you mean "plugins"?`},
		},
		"unknown parameter": {
			body: "plugins: [{type: queue-scorer}, {type: random-picker}, {type: load-aware-scorer, parameters: {treshold: 3}}]",
			want: []string{`inline.plugins[2].parameters.treshold: Forbidden: unknown field; there are threshold; did you mean "threshold"?`},
		},
		"parameters that moved": {
			body: "plugins: [{type: prefix-cache-scorer, parameters: {hashBlockSize: 5, mode: cache_tracking}}]",
			want: []string{
				`inline.plugins[0].parameters.hashBlockSize: Forbidden: unknown field; it is a parameter of approx-prefix-cache-producer now, and hashBlockSize is blockSizeTokens there`,
				`inline.plugins[0].parameters.mode: Forbidden: unknown field; it belongs to precise-prefix-cache-producer now`,
			},
		},
		"a field twice in YAML": {
			body: "plugins: [{type: load-aware-scorer, parameters: {threshold: 3, threshold: 4}}]",
			want: []string{`inline.plugins[0].parameters.threshold: Forbidden: duplicate field`},
		},

		"wrong types": {
			body: "featureGates: flowControl\nplugins: [{type: 5}, {type: load-aware-scorer, parameters: {threshold: '3'}}, {type: approx-prefix-cache-producer, parameters: {autoTune: 1}}, " +
				"{type: random-picker, parameters: {maxNumOfEndpoints: 1.5}}, {name: b, type: random-picker, parameters: []}]\nschedulingProfiles: [{name: p, plugins: {}}, 3]",
			want: []string{
				`inline.featureGates: Invalid value: "flowControl": must be a list`,
				`inline.plugins[0].type: Invalid value: 5: must be a string`,
				`inline.schedulingProfiles[0].plugins: Invalid value: must be a list`,
				`inline.schedulingProfiles[1]: Invalid value: 3: must be an object`,
				`inline.plugins[0].type: Required value: a plugin must have a type`,
				`inline.plugins[1].parameters.threshold: Invalid value: "3": must be a whole number`,
				`inline.plugins[2].parameters.autoTune: Invalid value: 1: must be true or false`,
				`inline.plugins[3].parameters.maxNumOfEndpoints: Invalid value: 1.5: must be a whole number`,
				`inline.plugins[4].parameters: Invalid value: must be an object`,
				`inline.schedulingProfiles[1].name: Required value: a profile must have a name`,
			},
		},
		"weights are numbers": {
			body: "plugins: [{type: queue-scorer}]" + profile("{pluginRef: queue-scorer, weight: '2'}"),
			want: []string{`inline.schedulingProfiles[0].plugins[0].weight: Invalid value: "2": must be a number`},
		},
		"unregistered, misspelt and renamed types": {
			body: "plugins: [{type: custom-thing}, {type: kv-cache-scorer}, {type: que-scorer}]",
			want: []string{
				`inline.plugins[0].type: Invalid value: "custom-thing": router-main has no plugin type "custom-thing"`,
				`inline.plugins[1].type: Invalid value: "kv-cache-scorer": router-main has no plugin type "kv-cache-scorer"; gie-v0.5 was the last version to have it; it is kv-cache-utilization-scorer now`,
				`inline.plugins[2].type: Invalid value: "que-scorer": router-main has no plugin type "que-scorer"; did you mean "queue-scorer"?`,
			},
		},
		"missing type, duplicate names": {
			body: "plugins: [{name: x}, {type: queue-scorer}, {type: queue-scorer}, {name: queue-scorer, type: random-picker}]",
			want: []string{
				`inline.plugins[0].type: Required value: a plugin must have a type`,
				`inline.plugins[2].name: Duplicate value: "queue-scorer"`,
				`inline.plugins[3].name: Duplicate value: "queue-scorer"`,
			},
		},
		"references": {
			body: "plugins: [{type: queue-scorer}]\nschedulingProfiles: [{plugins: [{pluginRef: queue-score}, {weight: 1}]}, {name: a}, {name: a}]",
			want: []string{
				`inline.schedulingProfiles[0].name: Required value: a profile must have a name`,
				`inline.schedulingProfiles[0].plugins[0].pluginRef: Invalid value: "queue-score": no plugin has this name; did you mean "queue-scorer"?`,
				`inline.schedulingProfiles[0].plugins[1].pluginRef: Required value: must name a plugin`,
				`inline.schedulingProfiles[2].name: Duplicate value: "a"`,
			},
		},
		"two pickers in a profile": {
			body: "plugins: [{type: random-picker}, {type: max-score-picker}]" + profile("{pluginRef: random-picker}, {pluginRef: max-score-picker}"),
			want: []string{`inline.schedulingProfiles[0].plugins[1].pluginRef: Invalid value: "max-score-picker": profile "p" has a picker already, random-picker; a profile has one`},
		},
		"two pickers in the profile that the loader makes": {
			body: "plugins: [{type: random-picker}, {type: max-score-picker}]",
			want: []string{`inline.plugins[1]: Invalid value: "max-score-picker": profile "default" has a picker already, random-picker; a profile has one`},
		},
		"two handlers": {
			body: "plugins: [{type: single-profile-handler}, {name: h, type: single-profile-handler}]",
			want: []string{`inline.plugins[1]: Invalid value: "h": there is a profile handler already, single-profile-handler; there can be one`},
		},
		"several profiles without a handler": {
			body: "schedulingProfiles: [{name: a}, {name: b}]",
			want: []string{`inline.schedulingProfiles: Invalid value: 2: several profiles need a profile handler, and there is none`},
		},
		"several profiles with the wrong handler": {
			body: "plugins: [{type: single-profile-handler}]\nschedulingProfiles: [{name: a}, {name: b}]",
			want: []string{`inline.schedulingProfiles: Invalid value: 2: a single-profile-handler cannot handle several profiles`},
		},
		"feature gates": {
			body: "featureGates: [dataLayer, flowControl=maybe, flowControl]",
			want: []string{
				`inline.featureGates[0]: Invalid value: "dataLayer": router-main has no such feature gate; there are flowControl, haPopulateNonLeaderDatastore; router-v0.9 was the last version to have it`,
				`inline.featureGates[1]: Invalid value: "flowControl=maybe": the value must be true or false`,
			},
		},
		"group, version and kind": {
			body: "",
			want: nil,
		},
		"parsers": {
			body: "plugins: [{type: queue-scorer}]\nrequestHandler: {parsers: [{pluginRef: queue-scorer}, {pluginRef: nothing}, {pluginRef: random-picker}, {}]}",
			want: []string{
				`inline.requestHandler.parsers[1].pluginRef: Invalid value: "nothing": no plugin has this name`,
				`inline.requestHandler.parsers[3].pluginRef: Invalid value: "": no plugin has this name`,
				`inline.requestHandler.parsers[0].pluginRef: Invalid value: "queue-scorer": a queue-scorer is not a parser`,
				`inline.requestHandler.parsers[2].pluginRef: Invalid value: "random-picker": a random-picker is not a parser`,
			},
		},
		"a deprecated parser": {
			body: "parser: {pluginRef: nothing}",
			want: []string{`inline.parser.pluginRef: Invalid value: "nothing": no plugin has this name`},
		},
		"a saturation detector": {
			body: "plugins: [{type: queue-scorer}]\nflowControl: {saturationDetector: {pluginRef: queue-scorer}}",
			want: []string{`inline.flowControl.saturationDetector.pluginRef: Invalid value: "queue-scorer": a queue-scorer is not a saturation detector`},
		},
		"a deprecated saturation detector, in the form of GIE v1.2": {
			body: "saturationDetector: {queueDepthThreshold: 3}",
			want: []string{`inline.saturationDetector.queueDepthThreshold: Forbidden: unknown field; there are pluginRef`},
		},
		"data layer": {
			body: "plugins: [{type: queue-scorer}]\ndataLayer: {crossReplicaSyncerPluginRef: queue-scorer, " +
				"sources: [{pluginRef: queue-scorer, extractors: [{pluginRef: queue-scorer}, {}]}, {}]}",
			want: []string{
				`inline.dataLayer.crossReplicaSyncerPluginRef: Invalid value: "queue-scorer": a queue-scorer is not a cross-replica syncer`,
				`inline.dataLayer.sources[0].extractors[1].pluginRef: Required value: must name a plugin`,
				`inline.dataLayer.sources[1].pluginRef: Required value: must name a plugin`,
			},
		},
		"what only the start of the EPP shows": {
			body: "plugins: [{type: queue-scorer}]\ndataLayer: {discovery: {pluginRef: queue-scorer}, sources: [{pluginRef: queue-scorer}]}",
			want: []string{
				`inline.dataLayer.discovery.pluginRef: Invalid value: "queue-scorer": a queue-scorer is not an endpoint discovery`,
				`inline.dataLayer.sources[0].pluginRef: Invalid value: "queue-scorer": a queue-scorer is not a data source`,
			},
		},
		"sources and extractors twice": {
			body: "plugins: [{name: e, type: core-metrics-extractor}, {name: f, type: core-metrics-extractor}, {name: s, type: metrics-data-source}]\n" +
				"dataLayer: {sources: [{pluginRef: s, extractors: [{pluginRef: e}, {pluginRef: f}]}, {pluginRef: s, extractors: [{pluginRef: e}]}]}",
			want: []string{
				`inline.dataLayer.sources[0].extractors[1].pluginRef: Invalid value: "f": the source has an extractor of type core-metrics-extractor already`,
				`inline.dataLayer.sources[1].pluginRef: Duplicate value: "s"`,
			},
		},
		"no data source": {
			body: "plugins: [{type: random-picker}]\ndataLayer: {injectDefaults: false}",
			want: []string{`inline.dataLayer.sources: Required value: the EPP does not start without a data source`},
		},
		"no metrics for a scorer that reads them": {
			body: "plugins: [{type: queue-scorer}, {type: metrics-data-source}]\ndataLayer: {injectDefaults: false, sources: [{pluginRef: metrics-data-source}]}",
			want: []string{`inline.plugins[0]: Invalid value: "queue-scorer": a queue-scorer needs a plugin of type core-metrics-extractor; list one, or do not set dataLayer.injectDefaults to false`},
		},
		"a producer that is not there": {
			body: "plugins: [{type: prefix-cache-scorer, parameters: {prefixMatchInfoProducerName: precise}}, {type: active-request-scorer, parameters: {inFlightLoadProducerName: prefix-cache-scorer}}]",
			want: []string{
				`inline.plugins[0].parameters: Invalid value: "precise": no plugin of this name produces the prefix matches that prefix-cache-scorer needs`,
				`inline.plugins[1].parameters: Invalid value: "prefix-cache-scorer": no plugin of this name produces the in-flight load that active-request-scorer needs`,
			},
		},
		"values of prefix-cache-scorer": {
			body: "plugins: [{type: prefix-cache-scorer, parameters: {matchLengthWeight: 1.5, matchLengthScaleTokens: 0}}]",
			want: []string{
				`inline.plugins[0].parameters.matchLengthWeight: Invalid value: 1.5: must be between 0 and 1`,
				`inline.plugins[0].parameters.matchLengthScaleTokens: Invalid value: 0: must be greater than 0 where matchLengthWeight is`,
			},
		},
		"values of approx-prefix-cache-producer": {
			body: "plugins: [{type: approx-prefix-cache-producer, parameters: {autoTune: false, blockSizeTokens: 0, maxPrefixTokensToMatch: -1}}]",
			want: []string{
				`inline.plugins[0].parameters.blockSizeTokens: Invalid value: 0: must be greater than 0 where autoTune is off`,
				`inline.plugins[0].parameters.maxPrefixTokensToMatch: Invalid value: -1: must not be negative`,
			},
		},
		"values of inflight-load-producer": {
			body: "plugins: [{type: inflight-load-producer, parameters: {outputRatio: -1, maxEstimatedOutputTokens: -5}}]",
			want: []string{
				`inline.plugins[0].parameters.outputRatio: Invalid value: -1: must not be negative`,
				`inline.plugins[0].parameters.maxEstimatedOutputTokens: Invalid value: -5: must not be negative`,
			},
		},
		"values of utilization-detector": {
			body: "plugins: [{type: utilization-detector, parameters: {queueDepthThreshold: 0, kvCacheUtilThreshold: 1.1, metricsStalenessThreshold: 0s, headroom: -0.1}}, " +
				"{name: b, type: utilization-detector, parameters: {metricsStalenessThreshold: 5}}]",
			want: []string{
				`inline.plugins[0].parameters.queueDepthThreshold: Invalid value: 0: must be greater than 0`,
				`inline.plugins[0].parameters.kvCacheUtilThreshold: Invalid value: 1.1: must be greater than 0 and at most 1`,
				`inline.plugins[0].parameters.metricsStalenessThreshold: Invalid value: "0s": must be greater than 0`,
				`inline.plugins[0].parameters.headroom: Invalid value: -0.1: must not be negative`,
				`inline.plugins[1].parameters.metricsStalenessThreshold: Invalid value: 5: must be a duration such as 200ms`,
			},
		},
		"values of metrics-data-source": {
			body: "plugins: [{type: metrics-data-source, parameters: {scheme: ftp, port: 0, interval: soon}}]",
			want: []string{
				`inline.plugins[0].parameters.scheme: Unsupported value: "ftp": supported values: "http", "https"`,
				`inline.plugins[0].parameters.port: Invalid value: 0: must be between 1 and 65535`,
				`inline.plugins[0].parameters.interval: Invalid value: "soon": must be a duration such as 100ms`,
			},
		},
		"values of core-metrics-extractor": {
			body: "plugins: [{type: core-metrics-extractor, parameters: {defaultEngine: mine, engineConfigs: [{kvUsageSpec: 'a b'}, {name: default}, " +
				"{name: e, customMetrics: [{metricSpec: '9x'}], queuedRequestsSpec: 'q{a=b, c=\"d e\"}'}, {name: e}]}}]",
			want: []string{
				`inline.plugins[0].parameters.engineConfigs[0].name: Required value: an engine must have a name`,
				`inline.plugins[0].parameters.engineConfigs[0].kvUsageSpec: Invalid value: "a b": must be a metric such as vllm:num_requests_waiting or metric{label=value}`,
				`inline.plugins[0].parameters.engineConfigs[1].name: Invalid value: "default": is reserved`,
				`inline.plugins[0].parameters.engineConfigs[2].customMetrics[0].metricSpec: Invalid value: "9x": must be a metric such as vllm:num_requests_waiting or metric{label=value}`,
				`inline.plugins[0].parameters.engineConfigs[3].name: Duplicate value: "e"`,
				`inline.plugins[0].parameters.defaultEngine: Invalid value: "mine": no such engine; there are vllm, sglang, trtllm-serve, triton-tensorrt-llm, triton, e`,
			},
		},
		"values of token-producer": {
			body: "plugins: [{type: token-producer, parameters: {udsTokenizerConfig: {socketFile: /s}, vllm: {http: x, timeout: soon}, estimate: {image: {mode: x}, video: {tokensPerFrame: {mode: w}, frames: {mode: z}}}}}, " +
				"{name: b, type: token-producer, parameters: {udsTokenizerConfig: {socketFile: s}, vllm: {timeout: soon}, estimate: {image: {mode: x}, video: {tokensPerFrame: {mode: w}, frames: {mode: z}}}}}]",
			want: []string{
				`inline.plugins[0].parameters.vllm.http: Forbidden: unknown field in router-main; scheduler-520af478 was the last version to have it`,
				`inline.plugins[1].parameters.udsTokenizerConfig: Forbidden: only one of udsTokenizerConfig and vllm may be set; modelName selects vllm`,
				`inline.plugins[1].parameters.estimate: Forbidden: only one of estimate and vllm may be set; modelName selects vllm`,
				`inline.plugins[1].parameters.modelName: Required value: a tokenizer needs it`,
				`inline.plugins[1].parameters.vllm.timeout: Invalid value: "soon": must be a duration such as 5s`,
				`inline.plugins[1].parameters.estimate.image.mode: Unsupported value: "x": supported values: "dynamic", "static"`,
				`inline.plugins[1].parameters.estimate.video.tokensPerFrame.mode: Unsupported value: "w": supported values: "dynamic", "static"`,
				`inline.plugins[1].parameters.estimate.video.frames.mode: Unsupported value: "z": supported values: "sampled", "strided"`,
			},
		},
		"a section that is ignored must still be well formed": {
			body: "flowControl: {maxBytes: lots, defaultRequestTTL: soon, priorityBands: [{priority: high, maxRequests: [1]}]}",
			want: []string{
				`inline.flowControl.defaultRequestTTL: Invalid value: "soon": must be a duration such as 200ms`,
				`inline.flowControl.maxBytes: Invalid value: "lots": must be a quantity such as 5000 or 1Gi`,
				`inline.flowControl.priorityBands[0].maxRequests: Invalid value: must be a quantity such as 5000 or 1Gi`,
				`inline.flowControl.priorityBands[0].priority: Invalid value: "high": must be a whole number`,
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, errs := Load([]byte(header+tc.body), "router-main", inline)
			if tc.want == nil {
				tc.want = []string{}
			}
			if diff := cmp.Diff(tc.want, errorTexts(errs)); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTextThatIsNoDocument(t *testing.T) {
	cases := map[string]struct {
		text string
		want []string
	}{
		"a list":      {"[]", []string{`inline: Invalid value: must be an EndpointPickerConfig, not a list`}},
		"broken YAML": {"a: [", []string{`inline: Invalid value: yaml: line 1: did not find expected node content`}},
		"another kind": {"apiVersion: llm-d.ai/v1\nkind: Pod", []string{
			`inline.apiVersion: Invalid value: "llm-d.ai/v1": router-v0.10.0 has llm-d.ai/v1alpha1 and inference.networking.x-k8s.io/v1alpha1 only; router-v0.11 has it`,
			`inline.kind: Unsupported value: "Pod": supported values: "EndpointPickerConfig"`,
		}},
		"duplicates in JSON": {`{"apiVersion": "llm-d.ai/v1alpha1", "kind": "EndpointPickerConfig", "plugins": [{"type": "a", "type": "queue-scorer"}], "kind": "EndpointPickerConfig"}`, []string{
			`inline.plugins[0].type: Forbidden: duplicate field`,
			`inline.kind: Forbidden: duplicate field`,
		}},
		"duplicates and other faults at once": {header + "plugins:\n- type: queue-scorer\n  type: queue-scorer\n  nam: x\n", []string{
			`inline.plugins[0].type: Forbidden: duplicate field`,
			`inline.plugins[0].nam: Forbidden: unknown field; there are name, parameters, type`,
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c, errs := Load([]byte(tc.text), "", inline)
			if c != nil {
				t.Error("a configuration came with errors")
			}
			if diff := cmp.Diff(tc.want, errorTexts(errs)); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}

func TestVersions(t *testing.T) {
	body := header + "plugins: [{type: random-picker}]"
	afterV010 := body + "\nrequestHandler: {parsers: [{pluginRef: sglanghttp-parser}]}\nflowControl: {noEndpointRequestTTL: 5s}"
	cases := map[string]struct {
		version, text string
		want          []string
	}{
		"the default":          {"", body, []string{}},
		"by its minor":         {"router-v0.10", body, []string{}},
		"in full":              {"router-v0.10.0", body, []string{}},
		"main":                 {"router-main", afterV010, []string{}},
		"what came with main":  {"router-v0.10", afterV010, []string{`inline.flowControl.noEndpointRequestTTL: Forbidden: unknown field in router-v0.10; router-main has it`}},
		"a type of main":       {"router-v0.10.0", header + "plugins: [{type: sglanghttp-parser}]", []string{`inline.plugins[0].type: Invalid value: "sglanghttp-parser": router-v0.10.0 has no plugin type "sglanghttp-parser"; router-main has it`}},
		"peers came with main": {"router-v0.10", body + "\ndataLayer: {peerDiscovery: {pluginRef: random-picker}}", []string{`inline.dataLayer.peerDiscovery: Forbidden: unknown field in router-v0.10; router-main has it`}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, errs := Load([]byte(tc.text), tc.version, inline)
			if diff := cmp.Diff(tc.want, errorTexts(errs)); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
	for _, unknown := range []string{"v0.10", "router", "scheduler", "router-v0", "router-v0.12", "gie-v1.5.1"} {
		_, errs := Load([]byte(body), unknown, field.NewPath("x"))
		if len(errs) != 1 || !strings.Contains(errs[0].Error(), "unknown EPP version; there are") || !strings.Contains(errs[0].Error(), "scheduler-v0.8.0") {
			t.Errorf("version %q: %v", unknown, errs)
		}
	}
}

func TestWarnings(t *testing.T) {
	cases := map[string]struct {
		text string
		want []string
	}{
		"a clean document": {header + "plugins: [{type: queue-scorer}]", nil},
		"the deprecated group and fields": {
			"apiVersion: inference.networking.x-k8s.io/v1alpha1\nkind: EndpointPickerConfig\nsaturationDetector: {}\nparser: {pluginRef: openai-parser}",
			[]string{
				"apiVersion: inference.networking.x-k8s.io/v1alpha1 is deprecated, use llm-d.ai/v1alpha1",
				"saturationDetector: deprecated, use flowControl.saturationDetector",
				"parser: deprecated, use requestHandler.parsers",
			},
		},
		"flow control without its gate": {
			header + "flowControl: {maxRequests: -5, saturationDetector: {pluginRef: utilization-detector}}",
			[]string{"flowControl: ignored, saturationDetector excepted: feature gate flowControl is off"},
		},
		"what does nothing": {
			header + "plugins: [{type: queue-scorer, parameters: {x: 1}}, {type: token-producer}, {type: random-picker}, {type: openai-parser, parameters: {}}]\n" +
				"schedulingProfiles: [{name: p, plugins: [{pluginRef: token-producer}, {pluginRef: random-picker, weight: 2}]}]\ndataLayer: {crossReplicaSyncInterval: 1s}",
			[]string{
				"plugins[0].parameters: no effect: queue-scorer takes no parameters",
				"schedulingProfiles[0].plugins[1].weight: no effect: a random-picker is not a scorer",
				"dataLayer.crossReplicaSyncInterval: no effect: there is nothing to sync the replicas with",
				"plugins[0]: no effect: queue-scorer is in no scheduling profile",
				"schedulingProfiles[0].plugins[0]: no effect in a profile: a token-producer is neither filter nor scorer nor picker",
			},
		},
		"weights that are seldom meant": {
			header + "plugins: [{type: queue-scorer}, {type: load-aware-scorer}]\nschedulingProfiles: [{name: p, plugins: [{pluginRef: queue-scorer, weight: 0}, {pluginRef: load-aware-scorer, weight: -1}]}]",
			[]string{
				"schedulingProfiles[0].plugins[0].weight: is 0: the scorer counts for nothing",
				"schedulingProfiles[0].plugins[1].weight: is negative: the endpoints with the highest scores are avoided",
			},
		},
		"values that are replaced": {
			header + "plugins: [{type: load-aware-scorer, parameters: {threshold: -3}}, {type: random-picker, parameters: {maxNumOfEndpoints: 0}}, " +
				"{type: active-request-scorer, parameters: {requestTimeout: 5s, idleThreshold: -1, maxBusyScore: 2}}, " +
				"{name: a, type: approx-prefix-cache-producer, parameters: {blockSize: 32, autoTune: false, lruCapacityPerServer: -1}}, " +
				"{name: b, type: approx-prefix-cache-producer, parameters: {blockSizeTokens: 128, lruCapacityPerServer: 5}}, {type: metrics-data-source, parameters: {interval: 1s}}]",
			[]string{
				"plugins[0].parameters.threshold: -3 is replaced by the default 128",
				"plugins[1].parameters.maxNumOfEndpoints: 0 is replaced by 1",
				"plugins[2].parameters.requestTimeout: deprecated, no effect",
				"plugins[2].parameters.idleThreshold: -1 is replaced by 0",
				"plugins[2].parameters.maxBusyScore: 2 is not between 0 and 1 and is replaced by 1",
				"plugins[3].parameters.blockSize: deprecated, use blockSizeTokens",
				"plugins[3].parameters.lruCapacityPerServer: -1 is replaced by 31250",
				"plugins[3].parameters.blockSizeTokens: 32 is raised to 64",
				"plugins[4].parameters.blockSizeTokens: no effect: autoTune takes the engines' block size, 64 at least",
				"plugins[4].parameters.lruCapacityPerServer: no effect: autoTune takes the engines' number of blocks",
				"plugins[5].parameters.interval: not followed: set the scenario's router.metricsRefreshInterval",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, path := range []*field.Path{nil, inline} {
				c, errs := Load([]byte(tc.text), "", path)
				if len(errs) > 0 {
					t.Fatal(errs.ToAggregate())
				}
				if diff := cmp.Diff(tc.want, c.Warnings()); diff != "" {
					t.Errorf("warnings (-want +got):\n%s", diff)
				}
			}
		})
	}
}
