// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const (
	ofV1      = "apiVersion: llm-d.ai/v1\nkind: EndpointPickerConfig\nplugins:\n- type: queue-scorer\n"
	ofV1alpha = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: queue-scorer\n"
)

// What router-v0.11 makes of a document, and who else accepts it.
func TestDialectOfRouter11(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		// stage is router-v0.11's, error what it stops at, and newest the version that
		// auto means.
		stage         config.Stage
		error, newest string
	}{
		"llm-d.ai/v1":                   {text: ofV1, stage: config.Accepted, newest: "router-v0.11.0"},
		"llm-d.ai/v1alpha1":             {text: ofV1alpha, stage: config.Accepted, newest: "router-main"},
		"an apiVersion of tomorrow":     {text: strings.Replace(ofV1, "v1", "v2", 1), stage: config.RefusedInDecoding, error: `apiVersion: Invalid value: "llm-d.ai/v2": is newer than this tool knows`},
		"a field of tomorrow":           {text: ofV1 + "flowControl: {tomorrow: 1}\n", stage: config.RefusedInDecoding, error: "flowControl.tomorrow: Forbidden: unknown field; unless it is misspelt it is newer than this tool knows"},
		"a type of tomorrow":            {text: ofV1 + "- type: lmetric-scorer\n", stage: config.RefusedInLoading, error: `"lmetric-scorer" is newer than this tool knows: no release has it, only the open pull request llm-d-router #2351`},
		"an unknown type":               {text: ofV1 + "- type: my-own-thing\n", stage: config.RefusedInLoading, error: "unless it is misspelt it is newer than this tool knows"},
		"a strategy of the guides":      {text: ofV1 + "- {type: program-aware-fairness, parameters: {strategy: turn-priority}}\n", stage: config.Accepted, newest: "router-v0.11.0"},
		"a strategy of tomorrow":        {text: ofV1 + "- {type: program-aware-fairness, parameters: {strategy: tomorrow}}\n", stage: config.RefusedInLoading, error: `there are las, turn-priority; unless it is misspelt it is newer than this tool knows`},
		"weights of turns":              {text: ofV1 + "- {type: program-aware-fairness, parameters: {strategy: turn-priority, turnPriorityTimeWeight: -1}}\n", stage: config.RefusedInLoading, error: "turnPriorityTimeWeight: Invalid value: -1: must not be negative"},
		"a negative TTL of a band":      {text: ofV1 + "featureGates: [flowControl]\nflowControl: {priorityBands: [{priority: 1, defaultRequestTTL: -5s}]}\n", stage: config.RefusedInLoading, error: "must not be negative"},
		"a weight of other tokens":      {text: ofV1 + "- {type: token-load-scorer, parameters: {nonTextTokenWeight: 2}}\n", stage: config.Accepted, newest: "router-v0.11.0"},
		"an observer and its scorer":    {text: ofV1 + "- {type: latency-observation-scorer-hub}\n", stage: config.Accepted, newest: "router-v0.11.0"},
		"a parameter of a pull request": {text: ofV1 + "- {type: prefix-cache-affinity-filter, parameters: {prefillCalibrationFile: f}}\n", stage: config.RefusedInLoading, error: "unknown field; \"prefillCalibrationFile\" is newer than this tool knows: no release has it, only the open pull request llm-d-router #2938"},
		"a parameter of tomorrow":       {text: ofV1 + "- {type: active-request-scorer, parameters: {tomorrow: 1}}\n", stage: config.RefusedInLoading, error: "newer than this tool knows"},
		"the detector at the top":       {text: ofV1alpha + "saturationDetector: {}\n", stage: config.RefusedInDecoding, error: "router-main was the last version to have it", newest: "router-main"},
		"a parser at the top":           {text: ofV1 + "parser: {pluginRef: openai-parser}\n", stage: config.RefusedInDecoding, error: "parser: Forbidden"},
		"a type that is gone":           {text: ofV1 + "- type: tokenizer\n  parameters: {modelName: m}\n", stage: config.RefusedInLoading, error: "router-main was the last version to have it; use token-producer"},
		"a handler that is gone":        {text: ofV1alpha + "- type: prefill-header-handler\n", stage: config.RefusedInLoading, error: "use disagg-profile-handler", newest: "router-main"},
		"discovery as v1 has it": {
			text:  ofV1 + "- {name: d, type: file-discovery, parameters: {path: /x}}\n- {name: p, type: k8s-peer-discovery, parameters: {selector: a}}\ndataLayer:\n  discovery: {endpoints: {pluginRef: d}, peers: {pluginRef: p}}\n  crossReplica: {syncInterval: 1s, publishTimeout: 1s}\n",
			stage: config.Accepted, newest: "router-v0.11.0",
		},
		"discovery as v1alpha1 has it": {
			text:  ofV1alpha + "- {name: d, type: file-discovery, parameters: {path: /x}}\ndataLayer:\n  discovery: {pluginRef: d}\n  crossReplicaSyncInterval: 1s\n",
			stage: config.Accepted, newest: "router-main",
		},
		"v1alpha1's discovery in v1": {text: ofV1 + "dataLayer: {discovery: {pluginRef: d}}\n", stage: config.RefusedInDecoding, error: "llm-d.ai/v1alpha1 has it"},
		"v1's section in v1alpha1":   {text: ofV1alpha + "dataLayer: {crossReplica: {syncInterval: 1s}}\n", stage: config.RefusedInDecoding, error: "llm-d.ai/v1 has it"},
		"peerDiscovery is gone":      {text: ofV1alpha + "dataLayer: {peerDiscovery: {pluginRef: queue-scorer}}\n", stage: config.RefusedInDecoding, error: "dataLayer.peerDiscovery", newest: "router-main"},
		"fields of flow control": {
			text:  ofV1 + "featureGates: [flowControl]\nrequestHandler: {propagatePriority: true}\nflowControl: {priorityBands: [{priority: 1, defaultRequestTTL: 5s}]}\n",
			stage: config.Accepted, newest: "router-v0.11.0",
		},
		"the in-flight producer is made": {text: ofV1 + "- type: token-load-scorer\n", stage: config.Accepted, newest: "router-v0.11.0"},
		"a detector of detectors": {
			text:  ofV1 + "- type: concurrency-detector\n- {name: d, type: max-saturation-detector, parameters: {detectors: [concurrency-detector], stages: {concurrency-detector: [decode]}}}\nflowControl: {saturationDetector: {pluginRef: d}}\n",
			stage: config.Accepted, newest: "router-v0.11.0",
		},
		"a detector of itself": {
			text:  ofV1 + "- {name: d, type: max-saturation-detector, parameters: {detectors: [d]}}\nflowControl: {saturationDetector: {pluginRef: d}}\n",
			stage: config.RefusedInLoading, error: "detectors[0]: Invalid value: \"d\": depends on this plugin, so that the EPP can make neither first",
		},
		"detectors in a circle": {
			text: ofV1 + "- {name: d, type: max-saturation-detector, parameters: {detectors: [e]}}\n" +
				"- {name: e, type: max-saturation-detector, parameters: {detectors: [d]}}\nflowControl: {saturationDetector: {pluginRef: d}}\n",
			stage: config.RefusedInLoading, error: "detectors[0]: Invalid value: \"e\": depends on this plugin, so that the EPP can make neither first",
		},
		"a detector of detectors that are not there": {
			text:  ofV1 + "- {name: d, type: max-saturation-detector, parameters: {detectors: [nope]}}\nflowControl: {saturationDetector: {pluginRef: d}}\n",
			stage: config.RefusedInLoading, error: "nope",
		},
		"a detector of none": {
			text:  ofV1 + "- {name: d, type: max-saturation-detector}\nflowControl: {saturationDetector: {pluginRef: d}}\n",
			stage: config.RefusedInLoading, error: "at least one",
		},
		"a parameter that may be newer": {
			text:  ofV1 + "- type: concurrency-detector\n- {name: d, type: max-saturation-detector, parameters: {detectors: [concurrency-detector], bogus: 1}}\nflowControl: {saturationDetector: {pluginRef: d}}\n",
			stage: config.RefusedInLoading, error: "newer than this tool knows",
		},
		"stages of a detector that is not among those": {
			text:  ofV1 + "- type: concurrency-detector\n- {name: d, type: max-saturation-detector, parameters: {detectors: [concurrency-detector], stages: {other: [decode]}}}\n",
			stage: config.RefusedInLoading, error: "stages[other]: Invalid value: \"other\": is not among the detectors",
		},
		"no stages of a detector": {
			text:  ofV1 + "- type: concurrency-detector\n- {name: d, type: max-saturation-detector, parameters: {detectors: [concurrency-detector], stages: {concurrency-detector: []}}}\n",
			stage: config.RefusedInLoading, error: "must name a stage",
		},
		"a stage that there is not": {
			text:  ofV1 + "- type: concurrency-detector\n- {name: d, type: max-saturation-detector, parameters: {detectors: [concurrency-detector], stages: {concurrency-detector: [encode]}}}\n",
			stage: config.RefusedInLoading, error: `stages[concurrency-detector][0]: Unsupported value: "encode": supported values: "prefill", "decode"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := Judge([]byte(tc.text), "router-v0.11", nil)
			if v.Stage != tc.stage {
				t.Fatalf("%s: %v, want %s", v.Stage, v.Errors, tc.stage)
			}
			if tc.error != "" && !strings.Contains(v.Errors[0].Error(), tc.error) {
				t.Errorf("error is %v, want %q", v.Errors[0], tc.error)
			}
			if v.Config != nil {
				checkSameAgain(t, name, v.Config)
			}
			if newest, why := Newest([]byte(tc.text), nil); tc.newest != "" && (newest.Version != tc.newest || newest.Stage != config.Accepted) {
				t.Errorf("auto is %s (%s), want %s", newest.Version, why, tc.newest)
			}
		})
	}
}

func TestVersionsFromForksSaySo(t *testing.T) {
	for _, v := range version.Names() {
		if got := version.Provenance(v) != ""; got != (v == "router-v0.11.0") {
			t.Errorf("%s: provenance is %q", v, version.Provenance(v))
		}
	}
	if _, why := Newest([]byte(ofV1), nil); !strings.Contains(why, "read from a downstream fork") {
		t.Errorf("auto says %q", why)
	}
}

// What is only known by name is accepted and not simulated.
func TestWhatIsOnlyKnownByNameIsNotSimulated(t *testing.T) {
	for name, text := range map[string]string{
		"a scorer": ofV1 + "- {type: latency-observation-scorer, parameters: {a: 1}}\n",
	} {
		v := Judge([]byte(text), "router-v0.11", nil)
		if v.Stage != config.Accepted {
			t.Fatalf("%s: %s: %v", name, v.Stage, v.Errors)
		}
		if errs := v.Config.Check(&config.Cluster{}, field.NewPath("x")); len(errs) != 1 || !strings.Contains(errs[0].Error(), "cannot be simulated") {
			t.Errorf("%s: %v", name, errs)
		}
	}
}
