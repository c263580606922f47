// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each step is a request, the scores that it gets and where it goes then.
func TestNoHitLRUScorer(t *testing.T) {
	type step struct {
		blocks []int
		want   []float64
		to     int
	}
	cold := []int{0, 0, 0}
	cases := map[string]struct {
		parameters string
		steps      []step
	}{
		"never used ones first, then the oldest": {"{}", []step{
			{cold, []float64{1, 0.5, 0}, 1},
			{cold, []float64{1, 0, 0.5}, 0},
			{cold, []float64{0, 0.5, 1}, 2},
			{cold, []float64{0.5, 1, 0}, 0},
			{cold, []float64{0, 1, 0.5}, 0},
		}},
		"a hit is neutral, and forgotten": {"{}", []step{
			{cold, []float64{1, 0.5, 0}, 0},
			{[]int{0, 0, 1}, []float64{0.5, 0.5, 0.5}, 1},
			{cold, []float64{0, 1, 0.5}, 1},
		}},
		"a small memory": {"{lruSize: 1}", []step{
			{cold, []float64{1, 0.5, 0}, 0},
			{cold, []float64{0, 1, 0.5}, 1},
			{cold, []float64{1, 0, 0.5}, 2},
		}},
		"one endpoint": {"{}", []step{{[]int{0}, []float64{1}, 0}, {[]int{0}, []float64{1}, 0}, {[]int{3}, []float64{0.5}, 0}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			endpoints := len(tc.steps[0].blocks)
			s := plant(t, "plugins: [{type: no-hit-lru-scorer, parameters: "+tc.parameters+"}]", unlabelled(endpoints)...)
			for n, step := range tc.steps {
				s.hold(10, step.blocks...)
				if diff := cmp.Diff(step.want, s.decide(idle(endpoints), request(n, 640)).Scores); diff != "" {
					t.Errorf("step %d: scores (-want +got):\n%s", n, diff)
				}
				s.staged.decode.scorers[0].scorer.(follower).routed(&s.cycle, picks{step.to, none})
			}
		})
	}
}

// An endpoint that is no candidate keeps its place, and scores end at 0.
func TestNoHitLRUScorerRanksAmongAll(t *testing.T) {
	s := plant(t, "plugins: [{type: no-hit-lru-scorer}, {type: decode-filter}]",
		nil, map[string]string{roleLabel: "prefill"}, map[string]string{roleLabel: "prefill"}, nil)
	scorer := s.staged.decode.scorers[0].scorer.(*noHitLRU)
	scorer.used = append(scorer.used, 1, 2, 3, 0)
	d := s.decide(idle(4), request(0, 640))
	if diff := cmp.Diff([]int{0, 3}, d.Candidates); diff != "" {
		t.Errorf("candidates (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{0, 0}, d.Scores); diff != "" {
		t.Errorf("scores (-want +got):\n%s", diff)
	}
}

func TestNoHitLRUScorerSpreadsColdRequests(t *testing.T) {
	s := New(mustLoad(t, "plugins: [{type: no-hit-lru-scorer}]"), Cluster{Endpoints: 4}, 1)
	counts := make([]int, 4)
	for n := range 40 {
		counts[route(t, s, idle(4), request(n, 640))]++
	}
	if diff := cmp.Diff([]int{10, 10, 10, 10}, counts); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}
