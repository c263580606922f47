// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// randomSymmetric returns a positive definite matrix and its lower triangle.
func randomSymmetric(n int, s *stats.Stream) (*mat.SymDense, triangle) {
	wide := mat.NewDense(n, n+3, nil)
	for i := range n {
		for j := range n + 3 {
			wide.Set(i, j, s.Normal())
		}
	}
	symmetric := mat.NewSymDense(n, nil)
	symmetric.SymOuterK(1, wide)
	lower := make(triangle, n)
	for i := range lower {
		for j := range i + 1 {
			lower[i] = append(lower[i], symmetric.At(i, j))
		}
	}
	return symmetric, lower
}

func randomVector(n int, s *stats.Stream) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = s.Normal()
	}
	return xs
}

func near(got, want float64) bool {
	return math.Abs(got-want) <= 1e-8*math.Max(1, math.Abs(want))
}

func TestCholeskyAgreesWithGonum(t *testing.T) {
	s := stats.NewStream(1, "cholesky")
	for _, n := range []int{1, 2, 3, 4, 5, 8, 31, 100} {
		symmetric, lower := randomSymmetric(n, s)
		got, ok := cholesky(lower)
		var oracle mat.Cholesky
		if !oracle.Factorize(symmetric) || !ok {
			t.Fatalf("%d rows: not positive definite", n)
		}
		var want mat.TriDense
		oracle.LTo(&want)
		for i, row := range got {
			for j, x := range row {
				if !near(x, want.At(i, j)) {
					t.Errorf("%d rows: L[%d][%d] = %v, want %v", n, i, j, x, want.At(i, j))
				}
			}
		}
		if !near(got.logDeterminant(), oracle.LogDet()) {
			t.Errorf("%d rows: logarithm of the determinant %v, want %v", n, got.logDeterminant(), oracle.LogDet())
		}
		b := randomVector(n, s)
		x := got.solveTransposed(got.solve(b))
		var solved mat.VecDense
		if err := oracle.SolveVecTo(&solved, mat.NewVecDense(n, b)); err != nil {
			t.Fatal(err)
		}
		for i := range x {
			if !near(x[i], solved.AtVec(i)) {
				t.Errorf("%d rows: x[%d] = %v, want %v", n, i, x[i], solved.AtVec(i))
			}
		}
	}
}

func TestTimesUndoesSolve(t *testing.T) {
	s := stats.NewStream(2, "cholesky")
	_, lower := randomSymmetric(9, s)
	l, _ := cholesky(lower)
	b := randomVector(9, s)
	for i, x := range l.times(l.solve(b)) {
		if !near(x, b[i]) {
			t.Errorf("element %d is %v, want %v", i, x, b[i])
		}
	}
}

func TestOnlyPositiveDefiniteMatricesHaveAFactor(t *testing.T) {
	for name, symmetric := range map[string]triangle{
		"singular":     {{1}, {1, 1}},
		"indefinite":   {{1}, {2, 1}},
		"zero":         {{0}},
		"not a number": {{1}, {math.NaN(), 1}},
		"infinite":     {{1}, {0, math.Inf(1)}},
	} {
		if l, ok := cholesky(symmetric); ok {
			t.Errorf("%s: factor %v", name, l)
		}
	}
}

// A refused row leaves the factor as it was.
func TestExtendKeepsWhatItHas(t *testing.T) {
	l, _ := cholesky(triangle{{4}, {2, 5}})
	after, ok := l.extend([]float64{2, 5, 5})
	if diff := cmp.Diff(triangle{{2}, {1, 2}}, after); diff != "" || ok {
		t.Errorf("extended %v (−want +got):\n%s", ok, diff)
	}
}
