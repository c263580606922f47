// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"testing"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// bigStudentTail is the oracle: the finite series for integer degrees of
// freedom (Abramowitz, Stegun, 26.7.3 and 26.7.4) in 256-bit floats, which
// leaves enough of 1 minus it.
func bigStudentTail(t float64, degrees int) *big.Float {
	x := bigOf(t)
	square := newBig().Mul(x, x)
	n := bigOf(float64(degrees))
	hypotenuse := newBig().Add(n, square)
	cosineSquare := newBig().Quo(n, hypotenuse)
	sine := newBig().Quo(square, hypotenuse)
	sine.Sqrt(sine)

	term, sum := newBig().Set(sine), newBig()
	odd := degrees % 2
	if odd == 1 {
		term.Mul(term, newBig().Sqrt(cosineSquare))
	}
	for k := 2 + odd; k <= degrees; k += 2 {
		sum.Add(sum, term)
		term.Mul(term, cosineSquare)
		term.Mul(term, newBig().Quo(bigOf(float64(k-1)), bigOf(float64(k))))
	}
	if odd == 1 {
		angle := bigAtan(newBig().Quo(x, newBig().Sqrt(n)))
		sum.Add(sum, angle)
		quarterPi := bigAtan(bigOf(1))
		sum.Quo(sum, quarterPi.Mul(quarterPi, bigOf(2)))
	}
	tail := newBig().Sub(bigOf(1), sum)
	return tail.Mul(tail, bigOf(0.5))
}

func TestStudentTailAgreesWithItsSeries(t *testing.T) {
	for _, degrees := range []int{1, 2, 3, 4, 5, 9, 10, 31, 100, 999, 1000, 1001, 1002, 2345} {
		for _, x := range []float64{1e-9, 0.01, 0.3, 0.7, 1, 1.5, 1.7, 1.8, 2, 3, 5, 9, 20, 100, 3000} {
			want, _ := bigStudentTail(x, degrees).Float64()
			if want < 1e-55 { // what 256 bits leave of 1 minus the series
				continue
			}
			if got := stats.StudentTail(x, degrees); math.Abs(got-want) > 2e-13*want {
				t.Errorf("tail of %v with %d degrees: %v, want %v (off by %.1e)", x, degrees, got, want, got/want-1)
			}
		}
	}
}

// The tail at the critical value is half of what the confidence leaves.
func TestStudentTailInvertsTheCriticalValue(t *testing.T) {
	for _, degrees := range []int{1, 2, 3, 7, 30, 500, 1000, 1001, 5000, 1_000_000} {
		for _, confidence := range []float64{0.01, 0.5, 0.9, 0.95, 0.999} {
			critical := stats.StudentT(confidence, degrees)
			want := (1 - confidence) / 2
			if got := stats.StudentTail(critical, degrees); math.Abs(got-want) > 1e-11 {
				t.Errorf("tail of %v with %d degrees: %v, want %v", critical, degrees, got, want)
			}
			if got := stats.StudentTail(-critical, degrees); math.Abs(got-(1-want)) > 1e-11 {
				t.Errorf("below %v with %d degrees: %v, want %v", critical, degrees, got, 1-want)
			}
		}
	}
}

func TestStudentTailOfExtremes(t *testing.T) {
	tests := map[string]struct {
		t       float64
		degrees int
		want    string
	}{
		"the middle":                          {0, 4, "0.5"},
		"everything":                          {math.Inf(-1), 4, "1"},
		"nothing":                             {math.Inf(1), 4, "0"},
		"one degree, a square that overflows": {1e200, 1, "3.183099e-201"},
		"far out":                             {1e50, 2, "5e-101"},
		"the other side of far out":           {-1e50, 2, "1"},
		"not a number":                        {math.NaN(), 4, "NaN"},
		"many degrees are normal":             {6, 1_000_000_000, "9.86588e-10"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := stats.StudentTail(tc.t, tc.degrees)
			if text := strconv.FormatFloat(got, 'g', 7, 64); text != tc.want && fmt.Sprintf("%.6g", got) != tc.want {
				t.Errorf("tail of %v with %d degrees: %s, want %s", tc.t, tc.degrees, text, tc.want)
			}
		})
	}
}

func FuzzStudentTailFallsFromOneToNothing(f *testing.F) {
	f.Add(1.5, 0.1, 4)
	f.Add(-3.0, 1e-9, 1001)
	f.Add(1e160, 1e150, 1)
	f.Fuzz(func(t *testing.T, x, step float64, degrees int) {
		if !(math.Abs(x) <= math.MaxFloat64) || !(math.Abs(step) <= math.MaxFloat64) || degrees < 1 || degrees > 1<<40 {
			return
		}
		here, further := stats.StudentTail(x, degrees), stats.StudentTail(x+math.Abs(step), degrees)
		if !(here >= 0 && here <= 1) || further > here+1e-12 {
			t.Errorf("%d degrees: tail of %v is %v, of %v it is %v", degrees, x, here, x+math.Abs(step), further)
		}
		if both := here + stats.StudentTail(-x, degrees); math.Abs(both-1) > 1e-12 {
			t.Errorf("%d degrees: the tails of ±%v add up to %v", degrees, x, both)
		}
	})
}
