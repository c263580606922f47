// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"math"
	"testing"
)

// Quantiles of Kolmogorov's distribution, as tables of textbooks have them.
func TestKolmogorovTail(t *testing.T) {
	for x, want := range map[float64]float64{0.1: 1, 0.828: 0.5, 1.224: 0.1, 1.358: 0.05, 1.628: 0.01, 1.949: 0.001} {
		if got := kolmogorovTail(x); math.Abs(got-want) > 0.02*want {
			t.Errorf("P(K > %v) = %v, want %v", x, got, want)
		}
	}
}

func TestTwoSampleKS(t *testing.T) {
	for name, tc := range map[string]struct {
		a, b     []float64
		distance float64
	}{
		"equal":    {[]float64{1, 2, 2, 3}, []float64{3, 2, 1, 2}, 0},
		"apart":    {[]float64{1, 2}, []float64{3, 4, 5}, 1},
		"by hand":  {[]float64{1, 2, 3, 4}, []float64{2.5, 3, 3.5, 5}, 0.5},
		"of a tie": {[]float64{1, 1, 1, 2}, []float64{1, 2, 2, 2}, 0.5},
	} {
		if d, p := TwoSampleKS(tc.a, tc.b); d != tc.distance || p < 0 || p > 1 {
			t.Errorf("%s: distance %v, p %v; want %v", name, d, p, tc.distance)
		}
	}
}

// Samples of one law are told apart as often as the p-value says.
func TestTwoSampleKSOfOneLaw(t *testing.T) {
	s := NewStream(1, "ks")
	const tries = 2000
	low := 0
	for range tries {
		a, b := make([]float64, 80), make([]float64, 120)
		for i := range a {
			a[i] = s.Float64()
		}
		for i := range b {
			b[i] = s.Float64()
		}
		if _, p := TwoSampleKS(a, b); p < 0.1 {
			low++
		}
	}
	if share := float64(low) / tries; math.Abs(share-0.1) > 0.02 {
		t.Errorf("%.3f of the p-values are below 0.1", share)
	}
}
