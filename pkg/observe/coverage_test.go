// SPDX-License-Identifier: Apache-2.0

package observe_test

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/observe"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// TestAClusterAsPredictedIsInside plays the cluster under many seeds. It then draws 20 seeds for a
// prediction and one more for the cluster, 200 times: the shares of figures inside of their intervals
// and of false alarms must be those that the rules state.
func TestAClusterAsPredictedIsInside(t *testing.T) {
	if testing.Short() {
		t.Skip("simulating hundreds of clusters takes half a minute: run without -short")
	}
	const known, drawn, checks = 240, 20, 200
	stage := stageOf(1)
	runs := predict(t, stage, scenario(t), seeds(1000, known))
	s := stats.NewStream(1, "coverage")
	inside, figures, alarms := 0, 0, 0
	byMeasure := map[string][2]int{}
	for range checks {
		var prediction observe.Prediction
		order := permutation(s, known)
		for _, i := range order[:drawn] {
			prediction = append(prediction, runs[i])
		}
		r := rules
		r.Tolerance = 0
		held := observe.Hold(&stage.Window, runs[order[drawn]], prediction, 1, observe.Measures(), r)
		if observe.Drifted(held) {
			alarms++
		}
		inside, figures = inside+len(held)-observe.Outside(held), figures+len(held)
		for i := range held {
			n := byMeasure[held[i].Name()]
			if held[i].Inside {
				n[0]++
			}
			n[1]++
			byMeasure[held[i].Name()] = n
		}
	}
	share := 100 * float64(inside) / float64(figures)
	t.Logf("%.1f %% of %d figures are inside; %d of %d clusters drift", share, figures, alarms, checks)
	for name, n := range byMeasure {
		t.Logf("%s: %d of %d", name, n[0], n[1])
	}
	if share < 92 || share > 98 {
		t.Errorf("%.1f %% are inside, want 95 ± 3 %%", share)
	}
	if alarms > 8 {
		t.Errorf("%d of %d clusters as predicted drift, want about %.0f", alarms, checks, rules.FalseAlarms*checks)
	}
}

// permutation returns 0 to n−1 in a random order.
func permutation(s *stats.Stream, n int) []int {
	all := make([]int, n)
	for i := range all {
		j := s.IntN(i + 1)
		all[i], all[j] = all[j], i
	}
	return all
}
