// SPDX-License-Identifier: Apache-2.0

package native

import (
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

func TestSGLangCacheAware(t *testing.T) {
	// Endpoint 0 was sent 200 tokens and has a request; 1 was sent 100 tokens of another text
	// and has none; 2 was sent 40 of these and 30 others, and has two requests.
	for name, tc := range map[string]struct {
		parameters map[string]string
		prompt     []prompt.Extent
		want       int
	}{
		"the longest match":                       {nil, []prompt.Extent{text(1, 100), text(9, 100)}, 1},
		"the same for several":                    {nil, []prompt.Extent{text(1, 40), text(9, 40)}, 1},
		"not more than the threshold of a prompt": {map[string]string{"cacheThreshold": "0.5"}, []prompt.Extent{text(1, 100), text(9, 100)}, 2},
		"no match: the smallest tree":             {nil, []prompt.Extent{text(8, 100)}, 2},
		"no match: the least loaded":              {map[string]string{"unmatched": "least-loaded"}, []prompt.Extent{text(8, 100)}, 1},
		"no prompt":                               {nil, nil, 2},
		"out of balance: the shortest queue":      {map[string]string{"balanceAbsThreshold": "1"}, []prompt.Extent{text(3, 200)}, 1},
		"not so much as the absolute threshold":   {map[string]string{"balanceAbsThreshold": "2"}, []prompt.Extent{text(3, 200)}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := mustNew(t, Spec{Policy: "sglang-cache-aware", TieBreak: tieFirst, Parameters: tc.parameters}, 3)
			route(t, r, only(0, 3), request(0, text(3, 200)))
			r.Finished(request(1), route(t, r, only(1, 3), request(1, text(1, 100))))
			route(t, r, only(2, 3), request(2, text(1, 40)))
			route(t, r, only(2, 3), request(3, text(2, 30)))
			same(t, name, tc.want, route(t, r, view(make([]policy.Scrape, 3)...), request(4, tc.prompt...)))
		})
	}
}

// Both thresholds must be exceeded.
func TestSGLangBalance(t *testing.T) {
	for name, tc := range map[string]struct {
		inFlight []int
		want     bool
	}{
		"as many":                     {[]int{100, 100}, false},
		"by the absolute threshold":   {[]int{64, 0}, false},
		"above it":                    {[]int{65, 0}, true},
		"at the relative threshold":   {[]int{300, 200}, false},
		"above it, and above the sum": {[]int{301, 200}, true},
	} {
		r := mustNew(t, Spec{Policy: "sglang-cache-aware"}, 2)
		got := r.chooser.(*sglangCacheAware).unbalanced(&round{candidates: []int{0, 1}, inFlight: tc.inFlight})
		same(t, name, tc.want, got)
	}
}

// Trees are cut down every two minutes, and may be too large until then.
func TestSGLangTreesAreCutDownFromTimeToTime(t *testing.T) {
	requests := []struct {
		at     time.Duration
		source uint64
		tokens int
	}{{0, 1, 100}, {110 * time.Second, 1, 50}, {2 * time.Minute, 2, 50}, {230 * time.Second, 3, 50}}
	for interval, want := range map[string][]int{"2m": {100, 100, 80, 130}, "1m": {100, 50, 80, 80}, "0s": {100, 100, 150, 200}} {
		spec := Spec{Policy: "sglang-cache-aware", Parameters: map[string]string{"maxTreeTokens": "30", "evictionInterval": interval}}
		if interval == "2m" {
			delete(spec.Parameters, "evictionInterval") // the default
		}
		r := mustNew(t, spec, 1)
		var got []int
		for id, q := range requests {
			v := view(policy.Scrape{})
			v.Now = simtime.Time(q.at)
			route(t, r, v, request(id, text(q.source, q.tokens)))
			got = append(got, r.chooser.(*sglangCacheAware).sent.memories[0].length)
		}
		same(t, "tokens after each request, with an interval of "+interval, want, got)
	}
}
