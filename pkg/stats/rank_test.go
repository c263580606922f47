// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Hunter L measure and panel score of canned tuna (Hollander, Wolfe:
// Nonparametric Statistical Methods, 1973, page 185). R's cor.test prints
// tau = 0.4444444 and rho = 0.6.
var (
	hunter = []float64{44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1}
	panel  = []float64{2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8}
)

type correlation func(x, y []float64) (float64, bool)

func TestRankCorrelationsOfPublishedData(t *testing.T) {
	for name, tc := range map[string]struct {
		of   correlation
		want float64
	}{
		"Spearman": {stats.Spearman, 0.6},
	} {
		if got, ok := tc.of(hunter, panel); !ok || math.Abs(got-tc.want) > 1e-15 {
			t.Errorf("%s: %v, %v, want %v", name, got, ok, tc.want)
		}
	}
}

func TestRankCorrelationsAtTheirLimits(t *testing.T) {
	up, down, flat := []float64{1, 2, 30, 400}, []float64{4, 3, -2, -100}, []float64{7, 7, 7, 7}
	for name, of := range map[string]correlation{"Spearman": stats.Spearman} {
		if got, ok := of(up, up); !ok || got != 1 {
			t.Errorf("%s of the same order: %v, %v", name, got, ok)
		}
		if got, ok := of(up, down); !ok || got != -1 {
			t.Errorf("%s of opposite order: %v, %v", name, got, ok)
		}
		for _, pair := range [][2][]float64{{up, flat}, {flat, up}, {flat, flat}, {nil, nil}, {{1}, {2}}} {
			if got, ok := of(pair[0], pair[1]); ok || got != 0 {
				t.Errorf("%s of %v: %v, %v, want none", name, pair, got, ok)
			}
		}
		if !panics(func() { of(up, nil) }) {
			t.Errorf("%s of lists of different lengths did not panic", name)
		}
	}
}

// slowSpearman correlates ranks found by counting.
func slowSpearman(x, y []float64) (float64, bool) {
	rank := func(xs []float64, i int) float64 {
		below, same := 0, 0
		for _, v := range xs {
			if v < xs[i] {
				below++
			} else if v == xs[i] {
				same++
			}
		}
		return float64(below) + float64(same+1)/2
	}
	var xy, xx, yy float64
	middle := float64(len(x)+1) / 2
	for i := range x {
		dx, dy := rank(x, i)-middle, rank(y, i)-middle
		xy, xx, yy = xy+dx*dy, xx+dx*dx, yy+dy*dy
	}
	return xy / math.Sqrt(xx*yy), xx > 0 && yy > 0
}

func TestRankCorrelationsAgreeWithTheSlowOnes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		n, values := r.IntN(40), 1+r.IntN(12)
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = float64(r.IntN(values)), float64(r.IntN(values))
		}
		for name, pair := range map[string][2]correlation{
			"Spearman": {stats.Spearman, slowSpearman},
		} {
			got, ok := pair[0](x, y)
			want, wantOK := pair[1](x, y)
			if ok != wantOK || ok && math.Abs(got-want) > 1e-12 {
				t.Fatalf("%s of %v and %v: %v, %v, want %v, %v", name, x, y, got, ok, want, wantOK)
			}
		}
	}
}

func FuzzRankCorrelationsKnowOnlyTheOrder(f *testing.F) {
	f.Add([]byte{1, 2, 3, 3, 200, 9, 9, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		n := len(data) / 2
		x, y, stretched := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = float64(data[i]), float64(data[n+i])
			stretched[i] = math.Exp(y[i] / 10)
		}
		for name, of := range map[string]correlation{"Spearman": stats.Spearman} {
			got, ok := of(x, y)
			if math.Abs(got) > 1 {
				t.Errorf("%s = %v", name, got)
			}
			if mirrored, _ := of(y, x); mirrored != got {
				t.Errorf("%s = %v, the other way round %v", name, got, mirrored)
			}
			if other, otherOK := of(x, stretched); other != got || otherOK != ok {
				t.Errorf("%s = %v, of stretched numbers %v", name, got, other)
			}
		}
	})
}
