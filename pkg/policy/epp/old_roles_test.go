// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

func roleLabels(roles ...string) []map[string]string {
	var labels []map[string]string
	for _, role := range roles {
		labels = append(labels, map[string]string{config.RoleLabel: role})
	}
	return labels
}

// A role had one part up to scheduler-v0.6, and "both" none that prefills.
func TestOldRoleFilters(t *testing.T) {
	labels := append(roleLabels("decode", "prefill", "both", "prefill-decode"), nil)
	for name, tc := range map[string]struct {
		version, filter string
		want            []int
	}{
		"decode":            {"scheduler-v0.6.0", decodeFilterType, []int{0, 2, 4}},
		"decode in parts":   {"scheduler-v0.7.1", decodeFilterType, []int{0, 2, 3, 4}},
		"prefill":           {"scheduler-v0.3.2", prefillFilterType, []int{1}},
		"prefill, in parts": {"scheduler-v0.7.1", prefillFilterType, []int{1, 2, 3}},
	} {
		cluster := config.Cluster{Endpoints: len(labels), Labels: labels}
		s := inVersion(t, tc.version, "plugins: [{type: "+tc.filter+"}]", cluster)
		route(t, s, idle(len(labels)), request(0, 1))
		if diff := cmp.Diff(tc.want, append([]int{}, s.LastResult().Candidates...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Up to scheduler-v0.8 another plugin has to tell the engines who computes a
// prompt, and a prompt is as long as a quarter of its bytes.
func TestOldDisaggregation(t *testing.T) {
	const profiles = `
schedulingProfiles:
- {name: prefill, plugins: [{pluginRef: prefill-filter}]}
- {name: decode, plugins: [{pluginRef: decode-filter}]}`
	const handler = `plugins:
- {type: prefill-filter}
- {type: decode-filter}
- {type: always-disagg-pd-decider}
- {type: disagg-profile-handler, parameters: {deciders: {prefill: always-disagg-pd-decider}}}`
	const byLength = `plugins:
- {type: prefill-filter}
- {type: decode-filter}
- {type: approx-prefix-cache-producer}
- {type: prefix-based-pd-decider, parameters: {nonCachedTokens: 100}}
- {type: disagg-profile-handler, parameters: {deciders: {prefill: prefix-based-pd-decider}}}`
	for name, tc := range map[string]struct {
		version, plugins string
		bytesPerToken    float64
		want             policy.Route
	}{
		"nobody tells":                    {"scheduler-v0.8.0", handler, 4, policy.To(1)},
		"a handler of headers tells":      {"scheduler-v0.7.1", handler + "\n- {type: disagg-headers-handler}", 4, policy.Route{Endpoint: 1, Prefill: 0}},
		"the profile handler tells":       {"scheduler-520af478", handler, 4, policy.Route{Endpoint: 1, Prefill: 0}},
		"as many tokens as quarter bytes": {"scheduler-520af478", byLength, 4, policy.Route{Endpoint: 1, Prefill: 0}},
		"and not as many":                 {"scheduler-520af478", byLength, 3.9, policy.To(1)},
	} {
		s := inVersion(t, tc.version, tc.plugins+profiles, config.Cluster{Endpoints: 2, Labels: roleLabels("prefill", "decode"), BytesPerToken: tc.bytesPerToken})
		got, err := s.Route(idle(2), request(0, 100))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got.Believed = policy.Belief{}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Clients of scheduler-v0.4 to scheduler-520af478 never learn of an endpoint.
func TestOldSessionsAreHeldToNoEndpoint(t *testing.T) {
	for version, want := range map[string]float64{"scheduler-v0.3.2": 1, "scheduler-v0.4.0": 0, "scheduler-520af478": 0, "router-v0.9.0": 1} {
		s := inVersion(t, version, "plugins: [{type: session-affinity-scorer}]", config.Cluster{Endpoints: 2, Sessions: true})
		r := request(0, 10)
		r.Session = 3
		e := route(t, s, idle(2), r)
		s.FirstToken(r, e)
		s.Finished(r, e)
		again := request(1, 10)
		again.Session = 3
		route(t, s, idle(2), again)
		if got := s.LastResult().Scores[e]; got != want {
			t.Errorf("%s: the endpoint of the last answer scores %v, want %v", version, got, want)
		}
	}
}

// A prompt of 100 tokens of 8 bytes is one of 200 where bytes are counted.
func TestOldContextLengths(t *testing.T) {
	for version, want := range map[string]int{"scheduler-v0.8.0": 1, "scheduler-520af478": 1} {
		labels := []map[string]string{{"llm-d.ai/context-length-range": "0-150"}, {"llm-d.ai/context-length-range": "151-300"}}
		s := inVersion(t, version, "plugins: [{type: context-length-aware, parameters: {enableFiltering: true}}]", config.Cluster{Endpoints: 2, Labels: labels, BytesPerToken: 8})
		if got := route(t, s, idle(2), request(0, 100)); got != want {
			t.Errorf("%s: chose %d, want %d", version, got, want)
		}
	}
}

// Whoever has the tokens counts them: in scheduler-520af478 all, and before that
// scorers behind a tokenizer and the second profile.
func TestOldTokenizers(t *testing.T) {
	const body = `plugins:
- {type: always-disagg-pd-decider}
- {type: pd-profile-handler, parameters: {deciderPluginName: always-disagg-pd-decider}}
- {type: context-length-aware, parameters: {enableFiltering: %t}}
- {type: tokenizer, parameters: {modelName: m}}
schedulingProfiles:
- {name: decode, plugins: [%s]}
- {name: prefill, plugins: [{pluginRef: context-length-aware}]}`
	const before, after = "{pluginRef: tokenizer}, {pluginRef: context-length-aware}", "{pluginRef: context-length-aware}, {pluginRef: tokenizer}"
	for name, tc := range map[string]struct {
		version, decode string
		filters         bool
		want            [2]int // the endpoints of decode and prefill
	}{
		"scorers behind it":           {"scheduler-v0.7.1", before, false, [2]int{0, 0}},
		"scorers before it":           {"scheduler-v0.8.0", after, false, [2]int{1, 0}},
		"filters come before scorers": {"scheduler-v0.8.0", before, true, [2]int{1, 0}},
		"a producer tells all":        {"scheduler-520af478", "{pluginRef: context-length-aware}", true, [2]int{0, 0}},
	} {
		labels := []map[string]string{{"llm-d.ai/context-length-range": "0-150"}, {"llm-d.ai/context-length-range": "151-300"}}
		s := inVersion(t, tc.version, fmt.Sprintf(body, tc.filters, tc.decode), config.Cluster{Endpoints: 2, Labels: labels, BytesPerToken: 8})
		route(t, s, idle(2), request(0, 100))
		d := s.LastResult()
		if got := [2]int{d.Chosen, d.Prefill.Chosen}; got != tc.want {
			t.Errorf("%s: chose %v, want %v", name, got, tc.want)
		}
	}
}

// Ranks of data-parallel engines are endpoints as others, and requests have no
// headers.
func TestPluginsThatOldVersionsHaveAsNewOnes(t *testing.T) {
	for name, tc := range map[string]struct {
		version, plugins string
		cluster          config.Cluster
		want             int
	}{
		"data-parallel-profile-handler": {"scheduler-v0.4.0", "{type: data-parallel-profile-handler}, {type: queue-scorer}", config.Cluster{Endpoints: 2}, 1},
		"header-based-testing-filter": {"gie-v1.2.1", "{type: header-based-testing-filter}",
			config.Cluster{Endpoints: 2, Attributes: []map[string]float64{{}, {"header-based-testing-filter": 1}}}, 1},
	} {
		s := inVersion(t, tc.version, "plugins: ["+tc.plugins+"]", tc.cluster)
		view := idle(2)
		view.Scrapes[0].Waiting = 5
		if got := route(t, s, view, request(0, 100)); got != tc.want {
			t.Errorf("%s: chose %d, want %d", name, got, tc.want)
		}
	}
}
