// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/prompt"
)

func TestTokenLoadScorer(t *testing.T) {
	cases := map[string]struct {
		threshold          string
		inFlight, uncached []int64
		want               []float64
	}{
		"linear in the sum of both":    {"1000", []int64{0, 100, 250}, []int64{0, 150, 250}, []float64{1, 0.75, 0.5}},
		"nothing below the threshold":  {"1000", []int64{999, 1000, 5000}, []int64{1, 1, 0}, []float64{0, 0, 0}},
		"as good as idle below 0":      {"1000", []int64{-5, 0}, []int64{0, 0}, []float64{1, 1}},
		"the default where it is none": {"0", []int64{4194304 / 4, 0}, []int64{0, 4194304 / 2}, []float64{0.75, 0.5}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := plant(t, "plugins: [{type: token-load-scorer, parameters: {queueThresholdTokens: "+tc.threshold+"}}, {type: inflight-load-producer}]", unlabelled(len(tc.want))...)
			copy(s.Load(config.InFlightLoadProducerType).Tokens, tc.inFlight)
			for e, tokens := range tc.uncached {
				s.LoadWithRequest(config.InFlightLoadProducerType).ExpectCached(e, -tokens)
			}
			if got := s.Decide(idle(len(tc.want)), request(0, 1)).Scores; !slices.Equal(got, tc.want) {
				t.Errorf("scores %v, want %v", got, tc.want)
			}
		})
	}
}

// The producer that counts is listed before the one whose matches it reads.
func TestTokenLoadScorerCountsWhatThisRequestWouldAdd(t *testing.T) {
	s := New(mustLoad(t, "plugins: [{type: inflight-load-producer}, {type: approx-prefix-cache-producer}, "+
		"{type: token-load-scorer, parameters: {queueThresholdTokens: 6400}}]"), config.Cluster{Endpoints: 2}, 1)
	first := request(0, 640)
	e := route(t, s, idle(2), first)
	s.FirstToken(first, e)
	want := []float64{0.9, 0.9}
	want[e] = 1 // it holds the whole prompt
	again := request(0, 640)
	again.ID = 1
	route(t, s, idle(2), again)
	if diff := cmp.Diff(want, s.LastResult().Scores); diff != "" {
		t.Errorf("scores (-want +got):\n%s", diff)
	}
	other := request(2, 640)
	route(t, s, idle(2), other)
	if diff := cmp.Diff([]float64{0.9, 0.9}, s.LastResult().Scores); diff != "" {
		t.Errorf("scores of another prompt (-want +got):\n%s", diff)
	}
}

// In the EPP no default producer provides the uncached tokens, even if it makes
// the plugin that would for another one's sake.
func TestTokenLoadScorerNeedsAListedProducer(t *testing.T) {
	for _, plugins := range []string{"{type: token-load-scorer}, {type: active-request-scorer}", "{type: active-request-scorer}, {name: token-load-scorer, type: token-load-scorer}"} {
		_, errs := Load([]byte(header+"plugins: ["+plugins+"]"), "", inline)
		if len(errs) != 1 || errs[0].Detail != "a token-load-scorer needs a plugin of type inflight-load-producer in the list: no default provides the uncached tokens" {
			t.Errorf("%s: %v", plugins, errs)
		}
	}
	checkParameterFaults(t, "token-load-scorer", "{queueThresholdTokens: 1.5}", `queueThresholdTokens: Invalid value: 1.5: must be a whole number`)
}

// Among many endpoints ranks decide in place of scores, unless decisions are explained.
func TestRanksDecideAsScoresDo(t *testing.T) {
	for name, profile := range map[string]string{
		"the guides":             guideProfile,
		"a threshold often met":  strings.Replace(guideProfile, "{type: token-load-scorer}", "{type: token-load-scorer, parameters: {queueThresholdTokens: 1000}}", 1),
		"a threshold met by all": strings.Replace(guideProfile, "{type: token-load-scorer}", "{type: token-load-scorer, parameters: {queueThresholdTokens: 1}}", 1),
		"an absurd threshold":    strings.Replace(guideProfile, "{type: token-load-scorer}", "{type: token-load-scorer, parameters: {queueThresholdTokens: 9000000000000000000}}", 1),
		"the most tokens":        strings.Replace(guideProfile, "{pluginRef: token-load-scorer}", "{pluginRef: token-load-scorer, weight: -1}", 1),
		"no weight":              strings.Replace(guideProfile, "{pluginRef: token-load-scorer}", "{pluginRef: token-load-scorer, weight: 0}", 1),
		"without a filter":       strings.Replace(guideProfile, "{pluginRef: prefix-cache-affinity-filter}, ", "", 1),
		"estimates of answers":   strings.Replace(guideProfile, "{type: inflight-load-producer}", "{type: inflight-load-producer, parameters: {addEstimatedOutputTokens: true}}", 1),
	} {
		for _, endpoints := range []int{65, 100} {
			random := rand.New(rand.NewPCG(1, uint64(endpoints)))
			c := mustLoad(t, profile)
			ranked, scored := New(c, config.Cluster{Endpoints: endpoints}, 1), New(c, config.Cluster{Endpoints: endpoints}, 1)
			scored.Explain(func(*scheduler.Explanation) {})
			view := idle(endpoints)
			view.Changed = []int32{}
			var underWay []*policy.Request
			var at []int
			for n := range 1500 {
				r := withPrompt(n, prompt.Extent{Source: uint64(random.IntN(9)), Tokens: 640}, prompt.Extent{Source: uint64(1000 + n), Tokens: 10 * random.Int32N(40)})
				got, gotErr := ranked.Route(view, r)
				want, wantErr := scored.Route(view, r)
				if got != want || !errors.Is(gotErr, wantErr) {
					t.Fatalf("%s, %d endpoints, request %d: %v, %v, want %v, %v", name, endpoints, n, got, gotErr, want, wantErr)
				}
				underWay, at = append(underWay, r), append(at, got.Endpoint)
				for len(underWay) > 20+n/10 {
					i := random.IntN(len(underWay))
					for _, s := range []*scheduler.Scheduler{ranked, scored} {
						s.FirstToken(underWay[i], at[i])
						if n%3 == 0 {
							s.Finished(underWay[i], at[i])
						}
					}
					underWay, at = slices.Delete(underWay, i, i+1), slices.Delete(at, i, i+1)
				}
				if random.IntN(50) == 0 {
					view.Down = someDown(random, endpoints)
				}
			}
			if diff := cmp.Diff(scored.Idle(), ranked.Idle()); diff != "" {
				t.Errorf("%s, %d endpoints: idle plugins (-want +got):\n%s", name, endpoints, diff)
			}
		}
	}
}
