// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"math"
	"testing"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// queueLevels reads a queue with one server, Poisson arrivals and exponential
// services of mean 1 at every unit of time. It begins empty.
func queueLevels(s *stats.Stream, load float64, readings int) []float64 {
	levels := make([]float64, 0, readings)
	now, level := 0.0, 0.0
	for {
		rate := load
		if level > 0 {
			rate++
		}
		for now += s.Exponential() / rate; now > float64(len(levels)+1); {
			if levels = append(levels, level); len(levels) == readings {
				return levels
			}
		}
		if s.Float64()*rate < load {
			level++
		} else {
			level--
		}
	}
}

func TestGrowthTellsOverloadFromABusyQueue(t *testing.T) {
	const rounds = 150
	tests := map[string]struct {
		load     float64
		readings int
		least    float64 // of the shares of rounds in which p is 0.05 or less
		most     float64
	}{
		"half load":               {0.5, 2000, 0, 0.01},
		"high load":               {0.95, 2000, 0, 0.03},
		"very high load":          {0.98, 10_000, 0, 0.04},
		"high load, a short run":  {0.95, 400, 0, 0.06},
		"at the limit":            {1, 2000, 0, 0.16}, // grows with the square root of time
		"overload":                {1.05, 10_000, 0.9, 1},
		"overload, a shorter run": {1.1, 2000, 0.8, 1},
		"overload, a short run":   {1.3, 400, 0.95, 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := stats.NewStream(1, name)
			grew, slopes := 0, 0.0
			for range rounds {
				perStep, p := stats.Growth(queueLevels(s, tc.load, tc.readings))
				slopes += perStep
				if p <= 0.05 {
					grew++
				}
			}
			if share := float64(grew) / rounds; share < tc.least || share > tc.most {
				t.Errorf("the backlog is said to grow in %.1f %% of all rounds", 100*share)
			}
			if slope := slopes / rounds; tc.load > 1 && math.Abs(slope-(tc.load-1)) > 0.1*(tc.load-1)+0.005 {
				t.Errorf("it grows by %v each step, want %v", slope, tc.load-1)
			}
		})
	}
}

func TestGrowthOfSpecialSeries(t *testing.T) {
	series := func(n int, of func(i int) float64) []float64 {
		levels := make([]float64, n)
		for i := range levels {
			levels[i] = of(i)
		}
		return levels
	}
	tests := map[string]struct {
		level         []float64
		perStep       float64
		leastP, mostP float64
	}{
		"nothing":         {nil, 0, 1, 1},
		"too short":       {series(39, func(i int) float64 { return float64(i) }), 0, 1, 1},
		"constant":        {series(100, func(int) float64 { return 0.1 }), 0, 1, 1},
		"a straight line": {series(40, func(i int) float64 { return 3 * float64(i) }), 3, 0, 0},
		"falling":         {series(400, func(i int) float64 { return -0.5 * float64(i) }), -0.5, 1, 1},
		"one step up":     {series(400, func(i int) float64 { return math.Floor(float64(i) / 200) }), 1. / 380, 0.15, 1},
		"what comes before 20 even batches is left out": {series(419, func(i int) float64 { return 2 * float64(max(i-19, 0)) }), 2, 0, 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			perStep, p := stats.Growth(tc.level)
			if math.Abs(perStep-tc.perStep) > 1e-12 || !(p >= tc.leastP && p <= tc.mostP) {
				t.Errorf("%v each step, p = %v, want %v and p in [%v, %v]", perStep, p, tc.perStep, tc.leastP, tc.mostP)
			}
		})
	}
}
