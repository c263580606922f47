// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestARoundNumbersItsSimulationsTrialByTrial(t *testing.T) {
	r := NewRound(0, []Trial{{Point: Point{ID: 4}, Seeds: []int64{1, 2}}, {Point: Point{ID: 7}, Seeds: []int64{3}}}, func(*Trial) float64 { return 1 })
	for i, want := range []struct {
		point int
		seed  int64
	}{{4, 1}, {4, 2}, {7, 3}} {
		if trial, seed := r.At(i); trial.Point.ID != want.point || seed != want.seed {
			t.Errorf("simulation %d is of point %d, seed %d; want %d, %d", i, trial.Point.ID, seed, want.point, want.seed)
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
		r := NewRound(0, trials, func(t *Trial) float64 { return costs[t.Point.ID] })
		dearest := 0.0
		for _, c := range costs {
			dearest = max(dearest, c)
		}
		// Some simulations are known and left out.
		which, total := []int{}, 0.0
		for i := range r.Simulations() {
			if rng.IntN(4) > 0 || i == 0 {
				which = append(which, i)
				trial, _ := r.At(i)
				total += costs[trial.Point.ID]
			}
		}
		n := min(1+rng.IntN(20), len(which))
		var covered []int
		for i := range n {
			part := r.Part(which, i, n)
			seconds := 0.0
			for _, s := range part {
				trial, _ := r.At(s)
				seconds += costs[trial.Point.ID]
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
