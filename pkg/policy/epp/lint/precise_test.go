// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"
	"strings"
	"testing"
)

// A precise scorer that found the engines by itself in scheduler-v0.8 matches nothing
// from router-v0.9 on. Looked at for several versions, the findings say so.
func TestPreciseScorersLoseTheirEventsWithRouter09(t *testing.T) {
	const text = "apiVersion: inference.networking.x-k8s.io/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: precise-prefix-cache-scorer\n  parameters: {indexerConfig: {tokenizersPoolConfig: {modelName: m, uds: {socketFile: /s}}}}\n- type: queue-scorer\n"
	report, err := Read("f.yaml", []byte(text), Options{Versions: []string{"scheduler-v0.8.0", "router-v0.9.0", "router-v0.10.0"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Configs[0].Findings {
		if f.Rule != "precise-without-events" {
			continue
		}
		if want := []string{"router-v0.9.0", "router-v0.10.0"}; !slices.Equal(f.Versions, want) {
			t.Errorf("it holds for %v, want %v", f.Versions, want)
		}
		for _, want := range []string{"from router-v0.9 on", "{type: endpoint-notification-source}", "extractors: [{pluginRef: precise-prefix-cache-scorer}]"} {
			if !strings.Contains(f.Message, want) {
				t.Errorf("there is no %q in %q", want, f.Message)
			}
		}
		if len(f.Edits) == 0 {
			t.Error("it has no edits")
		}
		return
	}
	t.Errorf("findings are %+v", report.Configs[0].Findings)
}

// The EPP runs the encode profile for requests with images, whatever simulated
// requests are.
func TestAnEncodeProfileWithItsDeciderRuns(t *testing.T) {
	const text = header + `plugins:
- type: disagg-profile-handler
  parameters:
    deciders: {encode: always-disagg-multimodal-decider, prefill: always-disagg-pd-decider}
- type: always-disagg-multimodal-decider
- type: always-disagg-pd-decider
- type: encode-filter
- type: prefill-filter
- type: decode-filter
- type: active-request-scorer
- type: prefix-cache-scorer
schedulingProfiles:
- name: encode
  plugins: [{pluginRef: encode-filter}, {pluginRef: active-request-scorer}]
- name: prefill
  plugins: [{pluginRef: prefill-filter}, {pluginRef: active-request-scorer}, {pluginRef: prefix-cache-scorer}]
- name: decode
  plugins: [{pluginRef: decode-filter}, {pluginRef: active-request-scorer}, {pluginRef: prefix-cache-scorer}]
`
	for _, version := range []string{"scheduler-v0.8", "router-v0.10"} {
		body := text
		if version == "scheduler-v0.8" {
			body = strings.Replace(text, "llm-d.ai", "inference.networking.x-k8s.io", 1)
		}
		for _, f := range Check([]byte(body), version, Context{}) {
			if strings.HasPrefix(f.Path, "schedulingProfiles[0]") || f.Rule == unreachableProfile.ID {
				t.Errorf("%s: %s: %s: %s", version, f.Rule, f.Path, f.Message)
			}
		}
	}
}

// TestAServiceOfKServeHasATokenizer: KServe deploys one for a token-producer, and a file of the same configuration has none.
func TestAServiceOfKServeHasATokenizer(t *testing.T) {
	const (
		config = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: token-producer\n- type: precise-prefix-cache-producer\n" +
			"- type: prefix-cache-scorer\n  parameters: {prefixMatchInfoProducerName: precise-prefix-cache-producer}\n- type: active-request-scorer\n"
		indent  = "        "
		service = "apiVersion: serving.kserve.io/v1alpha2\nkind: LLMInferenceService\nmetadata: {name: a}\nspec:\n  router:\n    scheduler:\n      config:\n       inline:\n" + indent
	)
	for text, want := range map[string]bool{config: true, service + strings.ReplaceAll(config, "\n", "\n"+indent): false} {
		report, err := Read("f.yaml", []byte(text), Options{Versions: []string{"router-v0.10.0"}})
		if err != nil {
			t.Fatal(err)
		}
		got := slices.ContainsFunc(report.Findings(), func(f Finding) bool { return f.Rule == preciseWithoutTokens.ID })
		if got != want {
			t.Errorf("%s is found: %v, want %v, in:\n%s", preciseWithoutTokens.ID, got, want, text)
		}
	}
}

// TestBlocksOfAnIndexFitIntoThoseOfEngines: 128 is twice 64, so that an index of router-v0.10 cuts each block of an engine in two;
// scheduler-v0.8 compares whole blocks; and 16 is a quarter of a block of 64.
func TestBlocksOfAnIndexFitIntoThoseOfEngines(t *testing.T) {
	newer := "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: token-producer\n  parameters: {modelName: m, vllm: {url: \"http://r:8000\"}}\n" +
		"- type: precise-prefix-cache-producer\n  parameters: {tokenProcessorConfig: {blockSizeTokens: 64}}\n- type: active-request-scorer\n"
	older := "apiVersion: inference.networking.x-k8s.io/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: precise-prefix-cache-scorer\n" +
		"  parameters: {tokenProcessorConfig: {blockSize: 64}, indexerConfig: {tokenizersPoolConfig: {modelName: m, uds: {socketFile: /s}}}}\n- type: queue-scorer\n"
	for _, test := range []struct {
		name, text, version string
		engine              int
		want                string
	}{
		{"equal", newer, "router-v0.10.0", 64, ""},
		{"twice", newer, "router-v0.10.0", 128, ""},
		{"a quarter", newer, "router-v0.10.0", 16, "what does not fill one is lost"},
		{"unknown", newer, "router-v0.10.0", 0, ""},
		{"equal in an older version", older, "scheduler-v0.8.0", 64, ""},
		{"twice in an older version", older, "scheduler-v0.8.0", 128, "nothing matches"},
	} {
		report, err := Read("f.yaml", []byte(test.text), Options{Versions: []string{test.version}, Context: Context{BlockTokens: test.engine}})
		if err != nil {
			t.Fatal(err)
		}
		var got string
		for _, f := range report.Findings() {
			if f.Rule == preciseBlockSize.ID {
				got = f.Message
			}
		}
		if !strings.Contains(got, test.want) || (got != "") != (test.want != "") {
			t.Errorf("%s: found %q, want %q", test.name, got, test.want)
		}
	}
}
