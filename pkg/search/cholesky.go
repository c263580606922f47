// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// triangle is a lower triangular matrix; row i has i+1 elements.
//
// Its arithmetic is written out, so that a search proposes the same points on
// any machine: a library that takes its kernels from the architecture adds in
// another order on another, and a model amplifies the last bit of a sum into
// another point.
type triangle [][]float64

// cholesky returns the L for which L·Lᵀ is the symmetric matrix whose lower
// triangle is given, and false where that is not positive definite.
func cholesky(symmetric triangle) (triangle, bool) {
	l := make(triangle, 0, len(symmetric))
	for _, row := range symmetric {
		var ok bool
		if l, ok = l.extend(row); !ok {
			return nil, false
		}
	}
	return l, true
}

// extend returns the factor of a matrix with one more row, of which it gets the
// elements up to the diagonal. The time is that of one solve.
func (l triangle) extend(row []float64) (triangle, bool) {
	n := len(l)
	factor := make([]float64, n+1)
	copy(factor, l.solve(row[:n]))
	rest := row[n] - dot(factor[:n], factor[:n])
	if !(rest > 0) || math.IsInf(rest, 1) {
		return l, false
	}
	factor[n] = math.Sqrt(rest)
	return append(l, factor), true
}

// solve returns the x of L·x = b.
func (l triangle) solve(b []float64) []float64 {
	x := make([]float64, len(b))
	for i, row := range l {
		x[i] = (b[i] - dot(row[:i], x[:i])) / row[i]
	}
	return x
}

// solveTransposed returns the x of Lᵀ·x = b.
func (l triangle) solveTransposed(b []float64) []float64 {
	x := append([]float64(nil), b...)
	for i := len(l) - 1; i >= 0; i-- {
		row := l[i]
		x[i] /= row[i]
		for j := range i {
			x[j] -= float64(row[j] * x[i])
		}
	}
	return x
}

// times returns L·x.
func (l triangle) times(x []float64) []float64 {
	y := make([]float64, len(l))
	for i, row := range l {
		y[i] = dot(row, x[:i+1])
	}
	return y
}

// logDeterminant is that of L·Lᵀ.
func (l triangle) logDeterminant() float64 {
	sum := 0.
	for i, row := range l {
		sum += stats.Log(row[i])
	}
	return 2 * sum
}

// dot sums products in four lanes, which is as portable as one and faster.
func dot(xs, ys []float64) float64 {
	ys = ys[:len(xs)]
	var a, b, c, d float64
	i := 0
	for ; i+4 <= len(xs); i += 4 {
		a += float64(xs[i] * ys[i])
		b += float64(xs[i+1] * ys[i+1])
		c += float64(xs[i+2] * ys[i+2])
		d += float64(xs[i+3] * ys[i+3])
	}
	for ; i < len(xs); i++ {
		a += float64(xs[i] * ys[i])
	}
	return (a + b) + (c + d)
}
