// SPDX-License-Identifier: Apache-2.0

package search

import (
	"cmp"
	"math"
	"slices"
	"testing"
)

// scored makes trials of losses, NaN where one failed, and of excesses.
func scored(losses, excesses []float64) []Trial {
	trials := make([]Trial, len(losses))
	for i, loss := range losses {
		if !math.IsNaN(loss) {
			trials[i].Samples = [][]float64{{loss}}
		}
		if excesses != nil {
			trials[i].Excess = excesses[i]
		}
	}
	return trials
}

func TestScoresKeepTheOrder(t *testing.T) {
	none := math.NaN()
	tests := map[string][]Trial{
		"losses":            scored([]float64{3, 1, 2, 9, 4, 1000}, nil),
		"ties":              scored([]float64{3, 1, 1, 3, 1, 3}, nil),
		"failures":          scored([]float64{3, none, 2, none, none}, nil),
		"most are excluded": scored([]float64{3, 1, 2, 9}, []float64{0, 0.2, 1, 0.1}),
		"all are excluded":  scored([]float64{3, 1, 2, 9}, []float64{0.3, 0.2, 1, 0.1}),
		"everything":        scored([]float64{3, none, -2, 9, 5, none}, []float64{0, 0, 1, 0, 0.5, 0}),
		"huge":              scored([]float64{3e300, 1e300, -2e300, 9e307}, nil),
	}
	for name, trials := range tests {
		s := scores(trials)
		ranked := order(trials)
		for k, i := range ranked[1:] {
			j := ranked[k]
			if want := compare(&trials[i], &trials[j]); cmp.Compare(s[i], s[j]) != cmp.Compare(want, 0) {
				t.Errorf("%s: trial %d scores %v, and %d scores %v", name, i, s[i], j, s[j])
			}
		}
		if slices.ContainsFunc(s, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) {
			t.Errorf("%s: scores %v", name, s)
		}
	}
}

func TestScoresTellTheBetterHalfApartByLossAndTheOthersByRank(t *testing.T) {
	mild := scores(scored([]float64{1, 2, 4, 10, 11, 12}, nil))
	wild := scores(scored([]float64{1, 2, 4, 10, 1e6, 1e9}, nil))
	for i := range mild {
		if math.Abs(mild[i]-wild[i]) > 1e-12 {
			t.Errorf("trial %d scores %v, and %v beside others far off", i, mild[i], wild[i])
		}
	}
	if ratio := (mild[2] - mild[1]) / (mild[1] - mild[0]); math.Abs(ratio-2) > 1e-9 {
		t.Errorf("differences 1 and 2 among the best score as 1 and %v", ratio)
	}
}

func TestEqualTrialsScoreNothing(t *testing.T) {
	for _, trials := range [][]Trial{scored([]float64{5, 5, 5}, nil), scored([]float64{math.NaN(), math.NaN()}, nil)} {
		for _, x := range scores(trials) {
			if x != 0 {
				t.Errorf("scores %v, want zeros", scores(trials))
			}
		}
	}
}
