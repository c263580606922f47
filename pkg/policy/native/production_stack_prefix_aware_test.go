// SPDX-License-Identifier: Apache-2.0

package native

import (
	"math/rand/v2"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

func TestProductionStackPrefixAware(t *testing.T) {
	// Endpoint 1 was sent two chunks of a text, and endpoint 2 three of them and a rest;
	// endpoint 0 was sent two other prompts.
	for name, tc := range map[string]struct {
		parameters map[string]string
		prompt     []prompt.Extent
		want       []int // those that may be drawn
	}{
		"the longest match":                  {nil, []prompt.Extent{text(1, 96), text(9, 32)}, []int{2}},
		"several of the longest":             {nil, []prompt.Extent{text(1, 64), text(9, 32)}, []int{1, 2}},
		"no match":                           {nil, []prompt.Extent{text(8, 100)}, []int{0, 1, 2, 3}},
		"no prompt":                          {nil, nil, []int{0, 1, 2, 3}},
		"the rest counts as a chunk":         {map[string]string{"minMatchTokens": "128"}, []prompt.Extent{text(1, 100)}, []int{2}},
		"less than the least: the idle one":  {map[string]string{"minMatchTokens": "129"}, []prompt.Extent{text(1, 100)}, []int{3}},
		"a match of chunks of another size":  {map[string]string{"chunkTokens": "70"}, []prompt.Extent{text(1, 70), text(9, 1)}, []int{2}},
		"no match, where there must be some": {map[string]string{"minMatchTokens": "1"}, []prompt.Extent{text(8, 100)}, []int{3}},
	} {
		t.Run(name, func(t *testing.T) {
			drawn := map[int]bool{}
			for seed := range int64(60) {
				r := mustSeed(t, Spec{Policy: "production-stack-prefix-aware", Parameters: tc.parameters}, 4, seed)
				route(t, r, only(0, 4), request(0, text(3, 100)))
				route(t, r, only(0, 4), request(1, text(4, 100)))
				route(t, r, only(1, 4), request(2, text(1, 64)))
				route(t, r, only(2, 4), request(3, text(1, 100)))
				drawn[route(t, r, view(make([]policy.Scrape, 4)...), request(4, tc.prompt...))] = true
			}
			want := map[int]bool{}
			for _, e := range tc.want {
				want[e] = true
			}
			same(t, name, want, drawn)
		})
	}
}

// The rate is that of the last window, and who was never sent a request comes first.
func TestRecentRequests(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		const endpoints, window = 4, 100
		recent := newRecentRequests(window*time.Nanosecond, endpoints)
		var all []recentRequest
		now := simtime.Time(0)
		for range 3000 {
			now += simtime.Time(rng.IntN(6))
			recent.expire(now)
			for e := range endpoints {
				want, ever := 0, false
				for _, q := range all {
					if q.endpoint == e {
						ever = true
						if q.at >= now-window {
							want++
						}
					}
				}
				if !ever {
					want = none
				}
				if got := recent.of(e); got != want {
					t.Fatalf("seed %d, at %d: %d requests of endpoint %d, want %d", seed, now, got, e, want)
				}
			}
			e := rng.IntN(1 + int(now)/500%endpoints)
			recent.routed(&round{view: &policy.View{Now: now}}, e)
			all = append(all, recentRequest{now, e})
		}
	}
}
