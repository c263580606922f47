// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSLOHeadroomTierFilter(t *testing.T) {
	good, late, slow := &predicted{10, 1, 1}, &predicted{-10, 1, 1}, &predicted{10, -1, 1}
	for _, tc := range []struct {
		name      string
		explore   string
		predicted []*predicted
		want      []int
	}{
		{"those that meet both objectives stay", "0", []*predicted{late, good, slow, good}, []int{1, 3}},
		{"one without a prediction goes with the others", "0", []*predicted{nil, good, late}, []int{1}},
		{"the others stay when exploring, those without a prediction last", "1", []*predicted{nil, good, late, slow}, []int{2, 3, 0}},
		{"all stay where all meet them", "1", []*predicted{good, good}, []int{0, 1}},
		{"all stay where all miss them", "0", []*predicted{late, slow}, []int{0, 1}},
		{"all stay without predictions", "0", []*predicted{nil, nil}, []int{0, 1}},
		{"where none meets them, those without a prediction come last", "0", []*predicted{nil, late}, []int{1, 0}},
		{"headroom of 0 meets an objective", "0", []*predicted{{0, 0, 1}, late}, []int{0}},
		{"one endpoint stays", "0", []*predicted{late}, []int{0}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := plant(t, "plugins: [{type: slo-headroom-tier-filter, parameters: {epsilonExploreNeg: "+tc.explore+"}}]", unlabelled(len(tc.predicted))...)
			p.foresee(tc.predicted...)
			if diff := cmp.Diff(tc.want, p.Decide(idle(len(tc.predicted)), request(0, 100)).Candidates); diff != "" {
				t.Errorf("candidates (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSLOHeadroomTierFilterExploresAsOftenAsItShould(t *testing.T) {
	p := plant(t, "plugins: [{type: slo-headroom-tier-filter, parameters: {epsilonExploreNeg: 0.1}}]", unlabelled(2)...)
	p.foresee(&predicted{10, 1, 1}, &predicted{-10, 1, 1})
	explored := 0
	const rounds = 5000
	for i := range rounds {
		explored += p.Decide(idle(2), request(i, 100)).Chosen
	}
	if explored < rounds/10-75 || explored > rounds/10+75 {
		t.Errorf("%d of %d explored, want about a tenth", explored, rounds)
	}
}
