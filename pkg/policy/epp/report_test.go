// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

func TestReportSaysHowEachPluginIsTreated(t *testing.T) {
	c := mustLoad(t, "plugins: [{type: prefix-cache-scorer}, {type: queue-scorer}, {name: vllm, type: token-producer, parameters: {modelName: m}}, "+
		"{type: inflight-load-producer, parameters: {addEstimatedOutputTokens: true}}, {name: filter, type: utilization-detector}, {name: plain, type: inflight-load-producer}, "+
		"{type: metrics-data-source, parameters: {interval: 1s}}, {type: core-metrics-extractor, parameters: {engineConfigs: [{name: x}]}}]\n"+
		"schedulingProfiles: [{name: p, plugins: [{pluginRef: prefix-cache-scorer}, {pluginRef: filter}]}]\n"+
		"requestHandler: {parsers: [{pluginRef: passthrough-parser}, {pluginRef: openai-parser}]}")
	want := []config.PluginReport{
		{Name: "prefix-cache-scorer", Type: "prefix-cache-scorer", Treatment: config.Exact, Note: "", Created: false},
		{Name: "queue-scorer", Type: "queue-scorer", Treatment: config.NoEffect, Note: "in no scheduling profile", Created: false},
		{Name: "vllm", Type: "token-producer", Treatment: config.Exact, Note: "rendering takes no time", Created: false},
		{Name: "inflight-load-producer", Type: "inflight-load-producer", Treatment: config.Approximated, Note: "requests state no max_tokens, which would bound the estimate of output tokens", Created: false},
		{Name: "filter", Type: "utilization-detector", Treatment: config.Exact, Note: "", Created: false},
		{Name: "plain", Type: "inflight-load-producer", Treatment: config.Exact, Note: "", Created: false},
		{Name: "metrics-data-source", Type: "metrics-data-source", Treatment: config.Approximated, Note: "scrapes follow the scenario's metricsRefreshInterval, not interval", Created: false},
		{Name: "core-metrics-extractor", Type: "core-metrics-extractor", Treatment: config.Approximated, Note: "engines report the core metrics whatever names engineConfigs looks for", Created: false},
		{Name: "single-profile-handler", Type: "single-profile-handler", Treatment: config.Exact, Note: "", Created: true},
		{Name: "max-score-picker", Type: "max-score-picker", Treatment: config.Exact, Note: "", Created: true},
		{Name: "fcfs-ordering-policy", Type: "fcfs-ordering-policy", Treatment: config.NoEffect, Note: "flow control is off", Created: true},
		{Name: "global-strict-fairness-policy", Type: "global-strict-fairness-policy", Treatment: config.NoEffect, Note: "flow control is off", Created: true},
		{Name: "static-usage-limit-policy", Type: "static-usage-limit-policy", Treatment: config.NoEffect, Note: "flow control is off", Created: true},
		{Name: "passthrough-parser", Type: "passthrough-parser", Treatment: config.Exact, Note: "hides prompts from all other plugins", Created: true},
		{Name: "openai-parser", Type: "openai-parser", Treatment: config.NoEffect, Note: "requests have no protocol", Created: true},
		{Name: "utilization-detector", Type: "utilization-detector", Treatment: config.Exact, Note: "sheds requests of negative priority", Created: true},
		{Name: "approx-prefix-cache-producer", Type: "approx-prefix-cache-producer", Treatment: config.Exact, Note: "", Created: true},
		{Name: "token-producer", Type: "token-producer", Treatment: config.Approximated, Note: "each token of a prompt stands for 4 bytes, and nothing else has any", Created: true},
	}
	if diff := cmp.Diff(want, c.Report(nil)); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

// Types of one name belong to different versions, but for llm-d's own that take
// the place of GIE's.
func TestRegistryHasEachTypeOnce(t *testing.T) {
	for _, d := range version.All {
		seen := map[string]*config.PluginType{}
		for _, known := range types {
			if !known.In(d) {
				continue
			}
			if first := seen[known.Name]; first != nil && (!first.Own || known.Own) {
				t.Errorf("%s has %s twice", d.Name, known.Name)
			}
			seen[known.Name] = known
		}
	}
}

func TestPluginsThatTheEPPMakesGoByName(t *testing.T) {
	c, errs := Load([]byte(oldHeader+"plugins: [{type: prefix-cache-scorer, parameters: {maxPrefixBlocksToMatch: -1}}]"), "gie-v1.5", inline)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	got := errorTexts(c.Check(&config.Cluster{Endpoints: 1}, inline))
	want := []string{"inline.plugins[approx-prefix-cache-producer].parameters.maxPrefixBlocksToMatch: Invalid value: -1: the EPP would crash over the first request"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}
