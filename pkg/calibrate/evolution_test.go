// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// minimum lets an evolution look for the least value of f.
func minimum(start []float64, generations int, f func(x []float64) float64) []float64 {
	deviation := make([]float64, len(start))
	for i := range deviation {
		deviation[i] = 0.5
	}
	e := newEvolution("test", start, deviation, 12)
	for range generations {
		all := e.generation(12)
		for i := range all {
			all[i].value = f(all[i].at)
		}
		e.adapt(all)
	}
	return e.mean
}

func TestAnEvolutionFindsTheMinimum(t *testing.T) {
	sphere := func(x []float64) (sum float64) {
		for i, v := range x {
			sum += (v - float64(i)) * (v - float64(i))
		}
		return sum
	}
	for name, tc := range map[string]struct {
		f           func(x []float64) float64
		want        []float64
		generations int
		tolerance   float64
	}{
		"round": {sphere, []float64{0, 1, 2, 3, 4}, 80, 1e-4},
		"a bent valley": {func(x []float64) (sum float64) {
			for i := range len(x) - 1 {
				a, b := x[i+1]-x[i]*x[i], 1-x[i]
				sum += 100*a*a + b*b
			}
			return sum
		}, []float64{1, 1, 1}, 200, 1e-3},
		"a narrow slanting valley": {func(x []float64) float64 {
			sum, difference := x[0]+x[1]-2, x[0]-x[1]
			return difference*difference + 1e4*sum*sum
		}, []float64{1, 1}, 120, 1e-3},
		"rugged": {func(x []float64) float64 {
			ripple := 0.0
			for _, v := range x {
				ripple += math.Sin(200 * v)
			}
			return sphere(x) + 1e-3*ripple
		}, []float64{0, 1, 2}, 80, 0.05},
	} {
		t.Run(name, func(t *testing.T) {
			got := minimum(make([]float64, len(tc.want)), tc.generations, tc.f)
			for i := range got {
				if math.Abs(got[i]-tc.want[i]) > tc.tolerance {
					t.Fatalf("minimum at %v, want %v", got, tc.want)
				}
			}
		})
	}
}

func TestAnEvolutionRanksAndNothingElse(t *testing.T) {
	f := func(x []float64) float64 { return x[0]*x[0] + 3*x[1]*x[1] }
	cubed := func(x []float64) float64 { v := f(x); return v * v * v }
	start := []float64{2, -1}
	if diff := cmp.Diff(minimum(start, 20, f), minimum(start, 20, cubed)); diff != "" {
		t.Errorf("a monotone change of the values changes the way:\n%s", diff)
	}
}
