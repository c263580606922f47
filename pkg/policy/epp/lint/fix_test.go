// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const header = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\n"

func TestFix(t *testing.T) {
	for name, tc := range map[string]struct {
		before, after, version string
		deleteUnknown          bool
	}{
		"a type that was renamed, with what refers to it": {
			before: header + "plugins:\n- type: kv-cache-scorer # how full\n- type: active-request-scorer\nschedulingProfiles:\n- name: default\n  plugins:\n  - {pluginRef: kv-cache-scorer, weight: 2}\n  - pluginRef: active-request-scorer\n",
			after:  header + "plugins:\n- type: kv-cache-utilization-scorer # how full\n- type: active-request-scorer\nschedulingProfiles:\n- name: default\n  plugins:\n  - {pluginRef: kv-cache-utilization-scorer, weight: 2}\n  - pluginRef: active-request-scorer\n",
		},
		"references to a plugin with a name of its own stay": {
			before: header + "plugins:\n- {name: kv, type: kv-cache-scorer}\n- type: active-request-scorer\nschedulingProfiles:\n- name: default\n  plugins: [{pluginRef: kv}, {pluginRef: active-request-scorer}]\n",
			after:  header + "plugins:\n- {name: kv, type: kv-cache-utilization-scorer}\n- type: active-request-scorer\nschedulingProfiles:\n- name: default\n  plugins: [{pluginRef: kv}, {pluginRef: active-request-scorer}]\n",
		},
		"settings of the prefix index move to the producer": {
			before: header + "plugins:\n# the cache\n- type: prefix-cache-scorer\n  parameters:\n    hashBlockSize: 256\n    maxPrefixBlocksToMatch: 100 # ours\n    lruCapacityPerServer: 5000\n\n- type: active-request-scorer\n",
			after:  header + "plugins:\n# the cache\n- type: prefix-cache-scorer\n- type: approx-prefix-cache-producer\n  parameters:\n    autoTune: false\n    blockSizeTokens: 64\n    maxPrefixTokensToMatch: 6400 # ours\n    lruCapacityPerServer: 5000\n\n- type: active-request-scorer\n",
		},
		"the same in braces": {
			before: header + "plugins: [{type: prefix-cache-scorer, parameters: {lruCapacityPerServer: 5000, autoTune: false}}, {type: active-request-scorer}]\n",
			after:  header + "plugins: [{type: prefix-cache-scorer}, {type: approx-prefix-cache-producer, parameters: {autoTune: false, lruCapacityPerServer: 5000}}, {type: active-request-scorer}]\n",
		},
		"a list indented within its key": {
			before: header + "plugins:\n  - type: prefix-cache-scorer\n    parameters: {autoTune: false}\n  - type: active-request-scorer\n",
			after:  header + "plugins:\n  - type: prefix-cache-scorer\n  - type: approx-prefix-cache-producer\n    parameters:\n      autoTune: false\n  - type: active-request-scorer\n",
		},
		"a gate that was dropped": {
			before: header + "featureGates:\n- dataLayer\n- haPopulateNonLeaderDatastore\nplugins:\n- type: active-request-scorer\n",
			after:  header + "featureGates:\n- haPopulateNonLeaderDatastore\nplugins:\n- type: active-request-scorer\n",
		},
		"the only gate goes with its list": {
			before: header + "featureGates:\n- dataLayer\nplugins:\n- type: active-request-scorer\n",
			after:  header + "plugins:\n- type: active-request-scorer\n",
		},
		"a deprecated apiVersion": {
			before: "apiVersion: 'inference.networking.x-k8s.io/v1alpha1'\nkind: EndpointPickerConfig\nplugins:\n- type: active-request-scorer\n",
			after:  "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: active-request-scorer\n",
		},
		"an apiVersion to come": {
			version: "router-v0.10.0",
			before:  "kind: EndpointPickerConfig\napiVersion: llm-d.ai/v1\nplugins:\n- type: active-request-scorer\n",
			after:   "kind: EndpointPickerConfig\napiVersion: llm-d.ai/v1alpha1\nplugins:\n- type: active-request-scorer\n",
		},
		"metadata": {
			deleteUnknown: true,
			before:        header + "metadata:\n  name: mine\n\nplugins:\n- type: active-request-scorer\n",
			after:         header + "\nplugins:\n- type: active-request-scorer\n",
		},
		"deprecated fields find their sections": {
			before: header + "plugins:\n- type: active-request-scorer\n- type: openai-parser\nparser: {pluginRef: openai-parser}\nsaturationDetector:\n  pluginRef: utilization-detector\n",
			after:  header + "plugins:\n- type: active-request-scorer\n- type: openai-parser\nrequestHandler:\n  parsers:\n  - pluginRef: openai-parser\nflowControl:\n  saturationDetector:\n    pluginRef: utilization-detector\n",
		},
		"fields and types that are gone": {
			version: "router-v0.11.0",
			before:  header + "plugins:\n- type: active-request-scorer\n- {type: by-label-selector, parameters: {matchLabels: {a: b}}}\nsaturationDetector:\n  pluginRef: utilization-detector\nschedulingProfiles:\n- name: default\n  plugins: [{pluginRef: active-request-scorer}, {pluginRef: by-label-selector}]\n",
			after:   header + "plugins:\n- type: active-request-scorer\n- {type: label-selector-filter, parameters: {matchLabels: {a: b}}}\nflowControl:\n  saturationDetector:\n    pluginRef: utilization-detector\nschedulingProfiles:\n- name: default\n  plugins: [{pluginRef: active-request-scorer}, {pluginRef: label-selector-filter}]\n",
		},
		"a quoted number": {
			before: header + "plugins:\n- type: concurrency-detector\n  parameters: {maxConcurrency: \"64\"}\n- type: active-request-scorer\nschedulingProfiles:\n- name: default\n  plugins: [{pluginRef: active-request-scorer}]\n",
			after:  header + "plugins:\n- type: concurrency-detector\n  parameters: {maxConcurrency: 64}\n- type: active-request-scorer\nschedulingProfiles:\n- name: default\n  plugins: [{pluginRef: active-request-scorer}]\n",
		},
		"a blank that is missing": {
			before: header + "plugins:\n- type: active-request-scorer\n- type: max-score-picker\nschedulingProfiles:\n- name: default\n  plugins:\n  - pluginRef: active-request-scorer\n    weight: 5\n  -pluginRef: max-score-picker\n",
			after:  header + "plugins:\n- type: active-request-scorer\n- type: max-score-picker\nschedulingProfiles:\n- name: default\n  plugins:\n  - pluginRef: active-request-scorer\n    weight: 5\n  - pluginRef: max-score-picker\n",
		},
		"a reference that is misspelt": {
			before: header + "plugins:\n- type: active-request-scorer\nschedulingProfiles:\n- name: default\n  plugins: [{pluginRef: active-requests-scorer}]\n",
			after:  header + "plugins:\n- type: active-request-scorer\nschedulingProfiles:\n- name: default\n  plugins: [{pluginRef: active-request-scorer}]\n",
		},
		"a parameter that is misspelt": {
			before: header + "plugins:\n- type: active-request-scorer\n  parameters: {idleTreshold: 2}\n",
			after:  header + "plugins:\n- type: active-request-scorer\n  parameters: {idleThreshold: 2}\n",
		},
		"a key that was renamed within a parameter": {
			before: header + "plugins:\n- type: token-producer\n  parameters:\n    modelName: m\n    vllm:\n      http: http://localhost:8000\n- type: active-request-scorer\n",
			after:  header + "plugins:\n- type: token-producer\n  parameters:\n    modelName: m\n    vllm:\n      url: http://localhost:8000\n- type: active-request-scorer\n",
		},
		"a producer that is missing": {
			before: header + "plugins:\n- type: token-load-scorer",
			after:  header + "plugins:\n- type: token-load-scorer\n- type: inflight-load-producer",
		},
		"a precise scorer that no engine's events reach": {
			before: header + "plugins:\n- type: precise-prefix-cache-scorer\n- type: queue-scorer\nschedulingProfiles:\n- name: default\n  plugins:\n  - pluginRef: precise-prefix-cache-scorer # first\n  - pluginRef: queue-scorer\n",
			after:  header + "plugins:\n- type: precise-prefix-cache-scorer\n- type: queue-scorer\n- type: endpoint-notification-source\nschedulingProfiles:\n- name: default\n  plugins:\n  - pluginRef: precise-prefix-cache-scorer # first\n  - pluginRef: queue-scorer\ndataLayer:\n  sources:\n  - pluginRef: endpoint-notification-source\n    extractors:\n    - pluginRef: precise-prefix-cache-scorer\n",
		},
		"the same with plugins last, and a source": {
			before: header + "dataLayer:\n  sources:\n  - pluginRef: metrics-data-source\n    extractors:\n    - pluginRef: core-metrics-extractor\nplugins:\n- type: precise-prefix-cache-scorer\n- type: metrics-data-source\n- type: core-metrics-extractor\n- type: queue-scorer\n",
			after:  header + "dataLayer:\n  sources:\n  - pluginRef: metrics-data-source\n    extractors:\n    - pluginRef: core-metrics-extractor\n  - pluginRef: endpoint-notification-source\n    extractors:\n    - pluginRef: precise-prefix-cache-scorer\nplugins:\n- type: precise-prefix-cache-scorer\n- type: metrics-data-source\n- type: core-metrics-extractor\n- type: queue-scorer\n- type: endpoint-notification-source\n",
		},
		"the same with nothing behind the plugins": {
			before: header + "plugins:\n- type: precise-prefix-cache-scorer\n- type: queue-scorer",
			after:  header + "plugins:\n- type: precise-prefix-cache-scorer\n- type: queue-scorer\n- type: endpoint-notification-source\ndataLayer:\n  sources:\n  - pluginRef: endpoint-notification-source\n    extractors:\n    - pluginRef: precise-prefix-cache-scorer",
		},
		"the block size of a precise plugin": {
			before: header + "plugins:\n- type: precise-prefix-cache-scorer\n  parameters:\n    tokenProcessorConfig:\n      blockSize: 64 # the engines'\n    kvEventsConfig: {zmqEndpoint: \"tcp://*:5557\"}\n- type: queue-scorer\n",
			after:  header + "plugins:\n- type: precise-prefix-cache-scorer\n  parameters:\n    tokenProcessorConfig:\n      blockSizeTokens: 64 # the engines'\n    kvEventsConfig: {zmqEndpoint: \"tcp://*:5557\"}\n- type: queue-scorer\n",
		},
		"a weight that has no effect": {
			before: header + "plugins:\n- type: active-request-scorer\n- type: decode-filter\nschedulingProfiles:\n- name: default\n  plugins:\n  - pluginRef: decode-filter\n    weight: 3\n  - pluginRef: active-request-scorer\n",
			after:  header + "plugins:\n- type: active-request-scorer\n- type: decode-filter\nschedulingProfiles:\n- name: default\n  plugins:\n  - pluginRef: decode-filter\n  - pluginRef: active-request-scorer\n",
		},
		"a handler without decider, which once handed over all prompts": {
			before: header + "plugins:\n- type: pd-profile-handler\n- type: prefill-filter\n- type: decode-filter\nschedulingProfiles:\n- name: prefill\n  plugins: [{pluginRef: prefill-filter}]\n- name: decode\n  plugins: [{pluginRef: decode-filter}]\n",
			after:  header + "plugins:\n- type: pd-profile-handler\n  parameters:\n    deciderPluginName: always-disagg-pd-decider\n- type: always-disagg-pd-decider\n- type: prefill-filter\n- type: decode-filter\nschedulingProfiles:\n- name: prefill\n  plugins: [{pluginRef: prefill-filter}]\n- name: decode\n  plugins: [{pluginRef: decode-filter}]\n",
		},
		"a handler with the old threshold": {
			before: header + "plugins:\n- type: pd-profile-handler\n  parameters:\n    threshold: 400\n    hashBlockSize: 5\n- type: prefill-filter\n- type: decode-filter\nschedulingProfiles:\n- name: prefill\n  plugins: [{pluginRef: prefill-filter}]\n- name: decode\n  plugins: [{pluginRef: decode-filter}]\n",
			after:  header + "plugins:\n- type: pd-profile-handler\n- type: prefix-based-pd-decider\n  parameters:\n    nonCachedTokens: 100\n- type: prefill-filter\n- type: decode-filter\nschedulingProfiles:\n- name: prefill\n  plugins: [{pluginRef: prefill-filter}]\n- name: decode\n  plugins: [{pluginRef: decode-filter}]\n",
		},
		"tokens of a gate that is in milliseconds now": {
			before: header + "plugins:\n- type: prefix-cache-affinity-filter\n  parameters: {maxTokensInFlightPenalty: 286704}\n- type: active-request-scorer\n",
			after:  header + "plugins:\n- type: prefix-cache-affinity-filter\n  parameters: {maxTTFTPenaltyMs: 18000}\n- type: active-request-scorer\n",
		},
		"for an older version, its apiVersion, field and gates": {
			version: "gie-v1.4.0",
			before:  header + "featureGates: [dataLayer, flowControl=true]\nplugins:\n- type: queue-scorer\n- type: metrics-data-source\ndataLayer:\n  sources:\n  - pluginRef: metrics-data-source\n",
			after:   strings.Replace(header, "llm-d.ai", "inference.networking.x-k8s.io", 1) + "featureGates: [dataLayer, flowControl]\nplugins:\n- type: queue-scorer\n- type: metrics-data-source\ndata:\n  sources:\n  - pluginRef: metrics-data-source\n",
		},
		"for a newer version, thresholds of the detector": {
			version: "router-v0.10.0",
			before:  header + "plugins:\n- type: active-request-scorer\nsaturationDetector:\n  queueDepthThreshold: 8\n  kvCacheUtilThreshold: 0.75\nschedulingProfiles:\n- name: default\n  plugins: [{pluginRef: active-request-scorer}]\n",
			after:   header + "plugins:\n- type: active-request-scorer\n- type: utilization-detector\n  parameters:\n    queueDepthThreshold: 8\n    kvCacheUtilThreshold: 0.75\nschedulingProfiles:\n- name: default\n  plugins: [{pluginRef: active-request-scorer}]\n",
		},
		"within a ConfigMap, behind another one": {
			before: "kind: Service\n---\nkind: ConfigMap\nmetadata: {name: epp}\ndata:\n  a.yaml: |\n    " + strings.ReplaceAll(header, "\n", "\n    ") + "plugins:\n\n    - type: kv-cache-scorer\n    - type: active-request-scorer\n  b: x\n",
			after:  "kind: Service\n---\nkind: ConfigMap\nmetadata: {name: epp}\ndata:\n  a.yaml: |\n    " + strings.ReplaceAll(header, "\n", "\n    ") + "plugins:\n\n    - type: kv-cache-utilization-scorer\n    - type: active-request-scorer\n  b: x\n",
		},
		"with line breaks of Windows": {
			before: strings.ReplaceAll(header+"plugins:\n- type: prefix-cache-scorer\n  parameters:\n    autoTune: false\n- type: active-request-scorer\n", "\n", "\r\n"),
			after:  strings.ReplaceAll(header+"plugins:\n- type: prefix-cache-scorer\n- type: approx-prefix-cache-producer\n  parameters:\n    autoTune: false\n- type: active-request-scorer\n", "\n", "\r\n"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			var versions []string
			if tc.version != "" {
				versions = []string{tc.version}
			}
			fixed, err := Fix("f.yaml", []byte(tc.before), FixOptions{Versions: versions, DeleteUnknown: tc.deleteUnknown})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.after, string(fixed.Content)); diff != "" {
				t.Errorf("%q (−want +got):\n%s", fixed.Notes, diff)
			}
			again, err := Fix("f.yaml", fixed.Content, FixOptions{Versions: versions, DeleteUnknown: tc.deleteUnknown})
			if err != nil || again.Changed() {
				t.Errorf("fixing again changes %q, %v", again.Notes, err)
			}
		})
	}
}

func TestFixKeepsWhatItCannotCorrect(t *testing.T) {
	for name, tc := range map[string]struct{ text, note string }{
		"a field nobody has":    {header + "plugins:\n- type: active-request-scorer\nperhapsNew: 1\n", "would still reject it: perhapsNew"},
		"a field without use":   {header + "metadata: {name: mine}\nplugins:\n- type: active-request-scorer\n", "would still reject it: metadata"},
		"a parameter unknown":   {header + "plugins:\n- type: active-request-scorer\n  parameters: {perhapsNew: 1}\n", "would still reject it: plugins[0].parameters.perhapsNew"},
		"what v0.11 accepts":    {"apiVersion: llm-d.ai/v1\nkind: EndpointPickerConfig\nplugins:\n- type: active-request-scorer\n", "nothing to rewrite for router-v0.11.0"},
		"half a remedy":         {header + "plugins:\n- type: kv-cache-scorer\n- type: my-own-scorer\n", "would still reject it: plugins[1].type"},
		"a text in one string":  {"data:\n  a: \"" + strings.ReplaceAll(header, "\n", `\n`) + `plugins:\n- type: kv-cache-scorer\n- type: active-request-scorer\n"`, "does not contain its text literally"},
		"what is well as it is": {header + "plugins:\n- type: active-request-scorer\n", "nothing to rewrite"},
	} {
		fixed, err := Fix("f.yaml", []byte(tc.text), FixOptions{})
		if err != nil || fixed.Changed() {
			t.Errorf("%s: changed %t, %v", name, fixed.Changed(), err)
		}
		if len(fixed.Notes) != 1 || !strings.Contains(fixed.Notes[0], tc.note) {
			t.Errorf("%s: notes are %q", name, fixed.Notes)
		}
	}
}
