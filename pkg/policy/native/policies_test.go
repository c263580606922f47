// SPDX-License-Identifier: Apache-2.0

package native

import (
	"errors"
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy"
)

func TestPoliciesWithoutScorers(t *testing.T) {
	busy := func() *policy.View {
		return view(policy.Scrape{Waiting: 2}, policy.Scrape{Running: 1}, policy.Scrape{Waiting: 9}, policy.Scrape{Running: 1})
	}
	for name, tc := range map[string]struct {
		spec Spec
		want []int
	}{
		"round-robin":  {Spec{Policy: "round-robin"}, []int{0, 1, 2, 3, 0, 1}},
		"least-loaded": {Spec{Policy: "least-loaded", TieBreak: tieFirst}, []int{1, 1, 1, 1, 1, 1}},
		// All that is in flight beside what the scrape shows: 1 and 3 in turn, until
		// they have as much as 0 had.
		"least-loaded, with all in flight": {Spec{Policy: "least-loaded", TieBreak: tieFirst, Parameters: map[string]string{"load": "in-flight"}}, []int{1, 3, 0, 1, 3, 0}},
		"always-busiest":                   {Spec{Policy: "always-busiest"}, []int{2, 2, 2, 2, 2, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			r := mustNew(t, tc.spec, 4)
			var got []int
			for id := range 6 {
				got = append(got, route(t, r, busy(), request(id)))
				if name == "least-loaded" {
					r.Finished(request(id), got[id])
				}
			}
			same(t, name, tc.want, got)
		})
	}
}

func TestRandomIsFair(t *testing.T) {
	r := mustNew(t, Spec{Policy: "random"}, 4)
	counts := map[int]int{}
	for id := range 4000 {
		counts[route(t, r, view(make([]policy.Scrape, 4)...), request(id))]++
	}
	for e := range 4 {
		if counts[e] < 900 || counts[e] > 1100 {
			t.Errorf("endpoint %d was drawn %d times of 4000", e, counts[e])
		}
	}
}

// No policy sends a request to an endpoint that is gone, and none is left to choose
// where all are.
func TestEndpointsThatAreGone(t *testing.T) {
	for _, name := range Policies() {
		t.Run(name, func(t *testing.T) {
			spec := Spec{Policy: name}
			if name == "weighted" {
				for _, s := range Scorers() {
					spec.Scorers = append(spec.Scorers, Scorer{Name: s, Weight: 1})
				}
			}
			r := mustNew(t, spec, 3)
			v := view(make([]policy.Scrape, 3)...)
			v.Down = []bool{true, false, true}
			for id := range 5 {
				same(t, "the only one", 1, route(t, r, v, request(id, text(1, 100))))
			}
			v.Down[1] = true
			if _, err := r.Route(v, request(5, text(1, 100))); !errors.Is(err, policy.ErrNoEndpoint) {
				t.Errorf("all are gone: %v", err)
			}
		})
	}
}
