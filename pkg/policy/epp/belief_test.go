// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/prompt"
)

const (
	approxProfile = "\n- {type: prefix-cache-scorer}\n"
	precise       = "- {type: precise-prefix-cache-producer, parameters: {kvEventsConfig: {zmqEndpoint: tcp}, tokenProcessorConfig: {blockSizeTokens: 16}"
	noParameters  = "}}"
	reads         = "\n- {type: prefix-cache-scorer, parameters: {prefixMatchInfoProducerName: precise-prefix-cache-producer}}\n"
)

// What a router believes after a request was routed includes the prompt of the request,
// where nobody tells the router of caches, or it speculates. An index that is only told
// believes nothing yet.
func TestARoutedPromptIsBelievedIn(t *testing.T) {
	text := prompt.Extent{Source: 1, Tokens: 640}
	for name, tc := range map[string]struct {
		version, plugins string
		cluster          config.Cluster
		want             policy.Belief
	}{
		"no index":                      {"router-v0.10", "plugins: [{type: queue-scorer}]", config.Cluster{}, policy.Belief{}},
		"approximate":                   {"router-v0.10", "plugins:\n- " + realTokens + "\n- {type: approx-prefix-cache-producer}" + approxProfile, config.Cluster{}, policy.Believing(640)},
		"approximate, by bytes":         {"router-v0.10", "plugins:\n- {type: token-producer, parameters: {estimate: {}}}\n- {type: approx-prefix-cache-producer}" + approxProfile, config.Cluster{BytesPerToken: 5}, policy.Believing(640)},
		"approximate, cut after a part": {"router-v0.10", "plugins:\n- " + realTokens + "\n- {type: approx-prefix-cache-producer, parameters: {maxPrefixTokensToMatch: 320}}" + approxProfile, config.Cluster{}, policy.Believing(320)},
		"approximate, old":              {"scheduler-520af478", "plugins:\n- {type: approx-prefix-cache-producer}" + approxProfile, config.Cluster{BytesPerToken: 5}, policy.Believing(640)},
		"legacy":                        {"gie-v1.3.1", "plugins: [{type: prefix-cache-scorer}]", config.Cluster{}, policy.Believing(640)},
		"legacy, with the model's name": {"gie-v0.5.1", "plugins: [{type: prefix-cache-scorer}, {type: max-score-picker}, {type: single-profile-handler}]\nschedulingProfiles: [{name: default, plugins: [{pluginRef: prefix-cache-scorer, weight: 1}, {pluginRef: max-score-picker}]}]", config.Cluster{}, policy.Believing(640)},
		"precise":                       {"router-v0.10", "plugins:\n- " + realTokens + "\n" + precise + noParameters + reads, config.Cluster{}, policy.Believing(0)},
		"precise, which speculates":     {"router-v0.10", "plugins:\n- " + realTokens + "\n" + precise + ", speculativeIndexing: true" + noParameters + reads, config.Cluster{}, policy.Believing(640)},
		"both, of which precise counts": {"router-v0.10", "plugins:\n- " + realTokens + "\n- {type: approx-prefix-cache-producer}\n" + precise + noParameters + reads, config.Cluster{}, policy.Believing(0)},
	} {
		t.Run(name, func(t *testing.T) {
			tc.cluster.Endpoints = 2
			start := oldHeader
			if tc.version == "router-v0.10" {
				start = header
			}
			c, errs := Load([]byte(start+tc.plugins), tc.version, inline)
			if len(errs) > 0 {
				t.Fatalf("refused: %v\n%s", errs.ToAggregate(), tc.plugins)
			}
			s := New(c, tc.cluster, 1)
			view := idle(2)
			for e := range view.Scrapes {
				view.Scrapes[e] = policy.Scrape{BlockTokens: 16, Blocks: 1000}
			}
			first, err := s.Route(view, withPrompt(0, text))
			if err != nil {
				t.Fatal(err)
			}
			if want := (policy.Belief{Known: tc.want.Known}); first.Believed != want {
				t.Errorf("before: %+v, want %+v", first.Believed, want)
			}
			view.Down = []bool{first.Endpoint != 0, first.Endpoint != 1}
			second, err := s.Route(view, withPrompt(1, text))
			if err != nil || second.Believed != tc.want {
				t.Errorf("after: %+v, %v, want %+v", second.Believed, err, tc.want)
			}
		})
	}
}

// Where another endpoint computes the prompt, the belief is about that one.
func TestABeliefIsAboutWhoComputesThePrompt(t *testing.T) {
	s := plant(t, disagg("{type: approx-prefix-cache-producer}, {type: prefix-cache-scorer}, "+alwaysDisagg), roleLabels("prefill", "decode")...)
	view := idle(2)
	for e := range view.Scrapes {
		view.Scrapes[e] = policy.Scrape{BlockTokens: 64, Blocks: 1000}
	}
	for id, want := range []int{0, 640} {
		to, err := s.Route(view, withPrompt(id, prompt.Extent{Source: 1, Tokens: 640}))
		if err != nil || to.Prefill != 0 || to.Believed != policy.Believing(want) {
			t.Errorf("request %d: %+v, %v, want a belief in %d tokens", id, to, err, want)
		}
	}
}

var _ scheduler.Believer = (*oldApproxPrefix)(nil)
