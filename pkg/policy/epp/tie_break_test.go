// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

// picksOf routes requests through the picker of a profile whose scores are
// always the same.
func picksOf(t *testing.T, ties config.TieBreak, seed int64, rounds int, scores ...float64) []int {
	t.Helper()
	c := mustLoad(t, "plugins: [{type: max-score-picker}]")
	s := New(c, config.Cluster{Endpoints: len(scores), TieBreak: ties}, seed)
	var picks []int
	for range rounds {
		picks = append(picks, s.Staged.Decode.Picker.Pick(scores))
	}
	return picks
}

func TestTiesAreBrokenAsAskedFor(t *testing.T) {
	for _, tc := range []struct {
		name   string
		ties   config.TieBreak
		scores []float64
		want   []int
	}{
		{"the first of all", config.TieFirst, []float64{1, 1, 1}, []int{0, 0, 0, 0, 0}},
		{"the first of the best", config.TieFirst, []float64{0, 2, 1, 2}, []int{1, 1, 1, 1, 1}},
		{"in turn", config.TieRotate, []float64{1, 1, 1}, []int{0, 1, 2, 0, 1}},
		{"only the best in turn", config.TieRotate, []float64{3, 0, 3, 1}, []int{0, 2, 0, 2, 0}},
		{"no tie", config.TieRotate, []float64{0, 1, 0}, []int{1, 1, 1, 1, 1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, picksOf(t, tc.ties, 1, 5, tc.scores...)); diff != "" {
				t.Errorf("picks (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRandomTiesFollowFromTheSeed(t *testing.T) {
	const rounds = 3000
	unset := picksOf(t, "", 7, rounds, 1, 0, 1, 1)
	if diff := cmp.Diff(unset, picksOf(t, config.TieRandom, 7, rounds, 1, 0, 1, 1)); diff != "" {
		t.Errorf("unset and Random differ (-unset +random):\n%s", diff)
	}
	if cmp.Equal(unset, picksOf(t, config.TieRandom, 8, rounds, 1, 0, 1, 1)) {
		t.Error("another seed breaks all ties the same way")
	}
	counts := make([]int, 4)
	for _, e := range unset {
		counts[e]++
	}
	if counts[1] != 0 {
		t.Errorf("an endpoint with a lower score was taken %d times", counts[1])
	}
	for _, e := range []int{0, 2, 3} {
		if counts[e] < rounds/3-150 || counts[e] > rounds/3+150 {
			t.Errorf("endpoint %d was taken %d times of %d", e, counts[e], rounds)
		}
	}
}

// A pick without a tie counts too, and so do those of other profiles.
func TestRotationCountsAllPicks(t *testing.T) {
	c := mustLoad(t, `
plugins: [{type: max-score-picker}, {type: always-disagg-pd-decider}, {type: disagg-profile-handler, parameters: {deciders: {prefill: always-disagg-pd-decider}}}]
schedulingProfiles:
- {name: decode, plugins: [{pluginRef: max-score-picker}]}
- {name: prefill, plugins: [{pluginRef: max-score-picker}]}`)
	s := New(c, config.Cluster{Endpoints: 3, TieBreak: config.TieRotate}, 1)
	decode, prefill := s.Staged.Decode.Picker, s.Staged.Prefill.Picker
	got := []int{
		decode.Pick([]float64{1, 1, 1}),
		prefill.Pick([]float64{1, 1, 1}),
		decode.Pick([]float64{0, 0, 1}),
		decode.Pick([]float64{1, 1}),
		prefill.Pick([]float64{1, 1, 1}),
	}
	if diff := cmp.Diff([]int{0, 1, 2, 1, 1}, got); diff != "" {
		t.Errorf("picks (-want +got):\n%s", diff)
	}
}
