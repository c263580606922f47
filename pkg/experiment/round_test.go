// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestARoundNumbersItsSimulationsTrialByTrial(t *testing.T) {
	trials := []Trial{{Point: Point{ID: 4}, Seeds: []int64{1, 2}}, {Point: Point{ID: 7}, Seeds: []int64{3}}}
	for _, tc := range []struct {
		workloads []string
		want      []string
	}{
		{[]string{""}, []string{"4 1 ", "4 2 ", "7 3 "}},
		{[]string{"calm", "storm"}, []string{"4 1 calm", "4 1 storm", "4 2 calm", "4 2 storm", "7 3 calm", "7 3 storm"}},
	} {
		r := newRound(0, trials, tc.workloads, func(*Trial) float64 { return 1 })
		var got []string
		for i := range r.Simulations() {
			of := r.At(i)
			got = append(got, fmt.Sprint(of.Point.ID, of.Seed, " ", of.Workload))
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("point, seed and workload of each simulation (-want +got):\n%s", diff)
		}
	}
}

// Shards cover every simulation once, none is empty, and none takes longer than
// its share by more than a simulation.
func TestShardsTakeAboutAsLongAsEachOther(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		costs := map[int]float64{}
		var trials []Trial
		for id := range 1 + rng.IntN(40) {
			costs[id] = rng.ExpFloat64() + 1e-3
			trials = append(trials, Trial{Point: Point{ID: id}, Share: 1, Seeds: make([]int64, 1+rng.IntN(5))})
		}
		r := newRound(0, trials, []string{""}, func(t *Trial) float64 { return costs[t.Point.ID] })
		dearest := 0.0
		for _, c := range costs {
			dearest = max(dearest, c)
		}
		// Some simulations are known and left out.
		which, total := []int{}, 0.0
		for i := range r.Simulations() {
			if rng.IntN(4) > 0 || i == 0 {
				which = append(which, i)
				total += costs[r.At(i).Point.ID]
			}
		}
		n := min(1+rng.IntN(20), len(which))
		var covered []int
		for i := range n {
			part := r.Part(which, i, n)
			seconds := 0.0
			for _, s := range part {
				seconds += costs[r.At(s).Point.ID]
			}
			if share := total / float64(n); len(part) == 0 || seconds > share+dearest && len(part) > 1 {
				t.Fatalf("shard %d of %d has %d simulations and takes %.2f s, its share is %.2f and no simulation takes more than %.2f", i, n, len(part), seconds, share, dearest)
			}
			covered = append(covered, part...)
		}
		if !slices.Equal(covered, which) {
			t.Fatalf("%d shards cover %v of %v", n, covered, which)
		}
	}
}
