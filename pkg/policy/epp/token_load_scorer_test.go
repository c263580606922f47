// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
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
			copy(s.Uncached(config.InFlightLoadProducerType), tc.uncached)
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
