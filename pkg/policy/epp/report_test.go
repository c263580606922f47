// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReportSaysHowEachPluginIsTreated(t *testing.T) {
	c := mustLoad(t, "plugins: [{type: prefix-cache-scorer}, {type: queue-scorer}, {name: vllm, type: token-producer, parameters: {modelName: m}}, "+
		"{type: inflight-load-producer, parameters: {addEstimatedOutputTokens: true}}, {name: filter, type: utilization-detector}, {name: plain, type: inflight-load-producer}, "+
		"{type: metrics-data-source, parameters: {interval: 1s}}, {type: core-metrics-extractor, parameters: {engineConfigs: [{name: x}]}}]\n"+
		"schedulingProfiles: [{name: p, plugins: [{pluginRef: prefix-cache-scorer}, {pluginRef: filter}]}]\n"+
		"requestHandler: {parsers: [{pluginRef: passthrough-parser}, {pluginRef: openai-parser}]}")
	want := []PluginReport{
		{"prefix-cache-scorer", "prefix-cache-scorer", Exact, "", false},
		{"queue-scorer", "queue-scorer", NoEffect, "in no scheduling profile", false},
		{"vllm", "token-producer", Exact, "rendering takes no time", false},
		{"inflight-load-producer", "inflight-load-producer", Approximated, "requests state no max_tokens, which would bound the estimate of output tokens", false},
		{"filter", "utilization-detector", Exact, "", false},
		{"plain", "inflight-load-producer", Exact, "", false},
		{"metrics-data-source", "metrics-data-source", Approximated, "scrapes follow the scenario's metricsRefreshInterval, not interval", false},
		{"core-metrics-extractor", "core-metrics-extractor", Approximated, "engines report the core metrics whatever names engineConfigs looks for", false},
		{"single-profile-handler", "single-profile-handler", Exact, "", true},
		{"max-score-picker", "max-score-picker", Exact, "", true},
		{"fcfs-ordering-policy", "fcfs-ordering-policy", NoEffect, "flow control is off", true},
		{"global-strict-fairness-policy", "global-strict-fairness-policy", NoEffect, "flow control is off", true},
		{"static-usage-limit-policy", "static-usage-limit-policy", NoEffect, "flow control is off", true},
		{"passthrough-parser", "passthrough-parser", Exact, "hides prompts from all other plugins", true},
		{"openai-parser", "openai-parser", NoEffect, "requests have no protocol", true},
		{"utilization-detector", "utilization-detector", Exact, "sheds requests of negative priority", true},
		{"approx-prefix-cache-producer", "approx-prefix-cache-producer", Exact, "", true},
		{"token-producer", "token-producer", Approximated, "each token of a prompt stands for 4 bytes, and nothing else has any", true},
	}
	if diff := cmp.Diff(want, c.Report(nil)); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

// Types of one name belong to different versions, but for llm-d's own that take
// the place of GIE's.
func TestRegistryHasEachTypeOnce(t *testing.T) {
	for _, d := range dialects {
		seen := map[string]*pluginType{}
		for _, known := range types {
			if !known.in(d) {
				continue
			}
			if first := seen[known.name]; first != nil && (!first.own || known.own) {
				t.Errorf("%s has %s twice", d.name, known.name)
			}
			seen[known.name] = known
		}
	}
}

func TestPluginsThatTheEPPMakesGoByName(t *testing.T) {
	c, errs := Load([]byte(oldHeader+"plugins: [{type: prefix-cache-scorer, parameters: {maxPrefixBlocksToMatch: -1}}]"), "gie-v1.5", inline)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	got := errorTexts(c.Check(&Cluster{Endpoints: 1}, inline))
	want := []string{"inline.plugins[approx-prefix-cache-producer].parameters.maxPrefixBlocksToMatch: Invalid value: -1: the EPP would crash over the first request"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}
