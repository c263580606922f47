// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math"
	"slices"
	"testing"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// descend runs an evolution without bounds for so many samples, and returns the
// least value met.
func descend(e *evolution, samples int, f func([]float64) float64) float64 {
	type draw struct {
		z     []float64
		value float64
	}
	least := math.Inf(1)
	s := stats.NewStream(1, "evolution")
	for range samples / e.population {
		var draws []draw
		for range e.population {
			x, z := e.sample(s)
			draws = append(draws, draw{z, f(x)})
		}
		slices.SortFunc(draws, func(a, b draw) int { return int(math.Copysign(1, a.value-b.value)) })
		least = math.Min(least, draws[0].value)
		var zs [][]float64
		for _, d := range draws {
			zs = append(zs, d.z)
		}
		if !e.evolve(zs) {
			break
		}
	}
	return least
}

func TestEvolutionFindsTheShapeOfWhatItDescends(t *testing.T) {
	ellipsoid := func(x []float64) float64 {
		sum := 0.
		for i, u := range x {
			sum += math.Pow(1e4, float64(i)/float64(len(x)-1)) * u * u
		}
		return sum
	}
	// A step that only grows or shrinks with everything needs many more samples.
	turned := func(x []float64) float64 {
		y := slices.Clone(x)
		for i := range y[1:] {
			y[i], y[i+1] = (y[i]-y[i+1])/math.Sqrt2, (y[i]+y[i+1])/math.Sqrt2
		}
		return ellipsoid(y)
	}
	valley := func(x []float64) float64 {
		sum := 0.
		for i := range x[1:] {
			floor, end := x[i+1]-x[i]*x[i], 1-x[i]
			sum += 100*floor*floor + end*end
		}
		return sum
	}
	for name, tc := range map[string]struct {
		f       func([]float64) float64
		samples int
	}{"ellipsoid": {ellipsoid, 2500}, "turned ellipsoid": {turned, 2500}, "Rosenbrock's valley": {valley, 3500}} {
		e := newEvolution([]float64{-1, 0.5, -0.5, 1}, 0.5, make([]float64, 4), 8)
		if least := descend(e, tc.samples, tc.f); least > 1e-8 {
			t.Errorf("%s: %v after %d samples", name, least, tc.samples)
		}
	}
}

func TestDeviationsDoNotFallBelowTheLeast(t *testing.T) {
	e := newEvolution([]float64{0.5, 0.5}, 0.3, []float64{0.05, 0}, 6)
	descend(e, 1200, func(x []float64) float64 { return x[0]*x[0] + x[1]*x[1] })
	first, second := e.step*math.Sqrt(e.covariance[0][0]), e.step*math.Sqrt(e.covariance[1][1])
	if first < 0.0499 || second > 1e-4 {
		t.Errorf("deviations %v and %v, want 0.05 at the least and next to nothing", first, second)
	}
}
