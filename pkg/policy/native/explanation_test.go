// SPDX-License-Identifier: Apache-2.0

package native

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windtunnel.dev/windtunnel/pkg/policy"
)

// told is the explanation of one decision.
func told(t *testing.T, r *Router, view *policy.View, q *policy.Request) *Explanation {
	t.Helper()
	var all []*Explanation
	r.Explain(func(x *Explanation) { all = append(all, x) })
	_, _ = r.Route(view, q)
	r.Explain(nil)
	_, _ = r.Route(view, q)
	if len(all) != 1 {
		t.Fatalf("%d explanations of one decision", len(all))
	}
	return all[0]
}

func loaded(t *testing.T, spec Spec) *Router {
	t.Helper()
	c, errs := Load(spec, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return New(c, 3, 1)
}

var ofADecision = cmpopts.IgnoreFields(Explanation{}, "View", "Request", "Endpoints")

func TestExplanationOfAWeightedPolicy(t *testing.T) {
	r := loaded(t, Spec{Policy: "weighted", Scorers: []Scorer{{Name: "load-seed", Weight: 4}, {Name: "vllm-dp", Weight: -1}, {Name: "load-balance", Weight: 2}}})
	view := &policy.View{Scrapes: []policy.Scrape{{Waiting: 1}, {Running: 3}, {}}, Down: []bool{false, true, false}}
	got := told(t, r, view, &policy.Request{Tokens: 10})
	if diff := cmp.Diff([]int{0, 2}, got.Candidates); diff != "" {
		t.Errorf("candidates (-want +got):\n%s", diff)
	}
	for i, s := range got.Scorers {
		for j := range got.Candidates {
			if clamped := min(max(s.Raw[j], 0), 1); s.Clamped[j] != clamped || s.Weighted[j] != clamped*s.Weight {
				t.Errorf("%s of candidate %d: %v, %v, %v", s.Name, j, s.Raw[j], s.Clamped[j], s.Weighted[j])
			}
		}
		if want := []string{"load-seed", "vllm-dp", "load-balance"}[i]; s.Name != want {
			t.Errorf("scorer %d is %s", i, s.Name)
		}
	}
	for j := range got.Candidates {
		if sum := got.Scorers[0].Weighted[j] + got.Scorers[1].Weighted[j] + got.Scorers[2].Weighted[j]; got.Scores[j] != sum {
			t.Errorf("candidate %d: %v, and the sum is %v", j, got.Scores[j], sum)
		}
	}
	if diff := cmp.Diff([]int{0, 0, 0}, got.InFlight); diff != "" {
		t.Errorf("in flight before (-want +got):\n%s", diff)
	}
}

func TestExplanationsOfOtherPolicies(t *testing.T) {
	view := &policy.View{Scrapes: []policy.Scrape{{Waiting: 2}, {}, {}}}
	all := []int{0, 1, 2}
	for name, tc := range map[string]struct {
		spec Spec
		want Explanation
	}{
		"in turn":      {Spec{Policy: "round-robin"}, Explanation{Candidates: all}},
		"by chance":    {Spec{Policy: "random"}, Explanation{Candidates: all, Tied: 3, ByChance: true}},
		"first of two": {Spec{Policy: "least-loaded", TieBreak: tieFirst}, Explanation{Candidates: all, Scores: []float64{-2, 0, 0}, Tied: 2, Endpoint: 1}},
		"lots":         {Spec{Policy: "least-loaded"}, Explanation{Candidates: all, Scores: []float64{-2, 0, 0}, Tied: 2, ByChance: true}},
	} {
		t.Run(name, func(t *testing.T) {
			got := told(t, loaded(t, tc.spec), view, &policy.Request{})
			if tc.want.ByChance {
				tc.want.Endpoint = got.Endpoint
			}
			if diff := cmp.Diff(&tc.want, got, ofADecision, cmpopts.IgnoreFields(Explanation{}, "InFlight")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	got := told(t, loaded(t, Spec{Policy: "random"}), &policy.View{Scrapes: view.Scrapes, Down: []bool{true, true, true}}, &policy.Request{})
	if !errors.Is(got.Err, policy.ErrNoEndpoint) {
		t.Errorf("with all gone: %+v", got)
	}
}

// The stages of a policy are its filters: who was taken out, and what was left.
func TestExplanationsOfStages(t *testing.T) {
	for name, tc := range map[string]struct {
		spec Spec
		want Explanation
	}{
		"the longest prefix": {Spec{Policy: "prefix-affinity"}, Explanation{
			Signals:  []Signal{{Name: "prefix-affinity", BlockTokens: 16, TotalBlocks: 6, Blocks: []int{0, 4, 0}}},
			Filters:  []Filter{{Name: "longest-prefix", Dropped: []int{0, 2}}},
			Endpoint: 1, Candidates: []int{1}, Tied: 1,
		}},
		"one stage after another": {Spec{Policy: "two-stage", TieBreak: tieFirst}, Explanation{
			Signals: []Signal{{Name: "two-stage", BlockTokens: 16, TotalBlocks: 6, Blocks: []int{0, 4, 0}}},
			Filters: []Filter{
				{Name: "load-threshold", Dropped: []int{1}}, {Name: "longest-match"}, {Name: "least-loaded"},
			},
			Endpoint: 0, Candidates: []int{0, 2}, Tied: 2,
		}},
		"two drawn": {Spec{Policy: "power-of-two", Parameters: map[string]string{"load": "queue", "choices": "9"}}, Explanation{
			Filters:    []Filter{{Name: "drawn"}, {Name: "least-loaded", Dropped: []int{1}}},
			Candidates: []int{0, 2}, Tied: 2, ByChance: true,
		}},
		"the ring": {Spec{Policy: "consistent-hashing", Parameters: map[string]string{"loadFactor": "1"}}, Explanation{
			Filters:  []Filter{{Name: "has-room", Dropped: []int{1}}, {Name: "next-on-ring", Dropped: []int{0}}},
			Endpoint: 2, Candidates: []int{2}, Tied: 1,
		}},
		"the longest match": {Spec{Policy: "sglang-cache-aware"}, Explanation{
			Signals:  []Signal{{Name: "sglang-cache-aware", BlockTokens: 1, TotalBlocks: 100, Blocks: []int{0, 64, 0}}},
			Filters:  []Filter{{Name: "longest-match", Dropped: []int{0, 2}}},
			Endpoint: 1, Candidates: []int{1}, Tied: 1,
		}},
		"chunks": {Spec{Policy: "production-stack-prefix-aware", TieBreak: tieFirst, Parameters: map[string]string{"minMatchTokens": "65"}}, Explanation{
			Signals:  []Signal{{Name: "production-stack-prefix-aware", BlockTokens: 32, TotalBlocks: 4, Blocks: []int{0, 2, 0}}},
			Filters:  []Filter{{Name: "lowest-rate", Dropped: []int{1}}},
			Endpoint: 0, Candidates: []int{0, 2}, Tied: 2,
		}},
		"out of balance": {Spec{Policy: "aibrix-prefix-cache", TieBreak: tieFirst, Parameters: map[string]string{"imbalance": "0"}}, Explanation{
			Signals:  []Signal{{Name: "aibrix-prefix-cache", BlockTokens: 32, TotalBlocks: 3, Blocks: []int{0, 2, 0}}},
			Filters:  []Filter{{Name: "fewest-requests", Dropped: []int{1}}, {Name: "fewest-requests"}},
			Endpoint: 0, Candidates: []int{0, 2}, Tied: 2,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := loaded(t, tc.spec)
			route(t, r, only(1, 3), request(0, text(1, 64)))
			view := view(policy.Scrape{}, policy.Scrape{Waiting: 9}, policy.Scrape{})
			got := told(t, r, view, request(1, text(1, 64), text(2, 36)))
			if tc.want.ByChance {
				tc.want.Endpoint = got.Endpoint
			}
			ignore := cmpopts.IgnoreFields(Explanation{}, "InFlight")
			if diff := cmp.Diff(&tc.want, got, ofADecision, ignore, cmpopts.IgnoreFields(Signal{}, "Freshness")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]int{0, 1, 2}, got.Endpoints); diff != "" {
				t.Errorf("endpoints (-want +got):\n%s", diff)
			}
		})
	}
}

// Explaining decides as not explaining does.
func TestExplainingChangesNothing(t *testing.T) {
	spec := Spec{Policy: "weighted", Scorers: []Scorer{{Name: "prefix-affinity", Weight: 1}, {Name: "active-requests", Weight: 1}}}
	plain, explains := loaded(t, spec), loaded(t, spec)
	explains.Explain(func(*Explanation) {})
	for n := range 200 {
		view := &policy.View{Scrapes: make([]policy.Scrape, 3)}
		want, _ := plain.Route(view, &policy.Request{ID: n})
		if got, _ := explains.Route(view, &policy.Request{ID: n}); got != want {
			t.Fatalf("request %d: %v, unexplained %v", n, got, want)
		}
	}
}
