// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// within draws n numbers between low and high, evenly.
func within(low, high float64, n int) []float64 {
	r := rand.New(rand.NewPCG(1, 2))
	xs := []float64{low, high}
	for range n {
		xs = append(xs, low+(high-low)*r.Float64())
	}
	return xs
}

// magnitudes draws n positive finite numbers of every magnitude, subnormal
// ones too.
func magnitudes(n int) []float64 {
	r := rand.New(rand.NewPCG(3, 4))
	xs := []float64{math.SmallestNonzeroFloat64, 0x1p-1022, 1, math.MaxFloat64}
	for len(xs) < n {
		if x := math.Float64frombits(r.Uint64() >> 1); x > 0 && !math.IsNaN(x) && !math.IsInf(x, 0) {
			xs = append(xs, x)
		}
	}
	return xs
}

func TestPortableFunctionsAreWithinOneUlpOfTheExactValue(t *testing.T) {
	tests := map[string]struct {
		function func(float64) float64
		exact    func(*big.Float) *big.Float
		at       []float64
	}{
		"log of every magnitude":       {stats.Log, bigLog, magnitudes(300)},
		"log of the unit interval":     {stats.Log, bigLog, within(0x1p-53, 1, 500)},
		"log near one":                 {stats.Log, bigLog, within(0.7, 1.42, 1000)},
		"log very near one":            {stats.Log, bigLog, within(1-0x1p-20, 1+0x1p-20, 300)},
		"log1p around zero":            {stats.Log1p, bigLog1p, within(-0.5, 0.75, 1000)},
		"log1p of small numbers":       {stats.Log1p, bigLog1p, within(-0x1p-30, 0x1p-30, 300)},
		"log1p near its pole":          {stats.Log1p, bigLog1p, within(-1+0x1p-53, -0.99, 300)},
		"log1p of middling numbers":    {stats.Log1p, bigLog1p, within(0.5, 100, 500)},
		"log1p of every magnitude":     {stats.Log1p, bigLog1p, magnitudes(300)},
		"exp of small numbers":         {stats.Exp, bigExp, within(-1, 1, 1000)},
		"exp over its whole range":     {stats.Exp, bigExp, within(-745, 709.78, 1000)},
		"exp where it is subnormal":    {stats.Exp, bigExp, within(-745.2, -708, 300)},
		"arc tangent below one":        {stats.Atan, bigAtan, within(-1, 1, 1000)},
		"arc tangent above one":        {stats.Atan, bigAtan, within(1, 50, 500)},
		"arc tangent of any magnitude": {stats.Atan, bigAtan, magnitudes(300)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			worst, where := 0.0, 0.0
			for _, x := range tc.at {
				if e := ulpError(tc.function(x), tc.exact(bigOf(x))); e > worst {
					worst, where = e, x
				}
			}
			t.Logf("worst error %.3f ulp, at %v", worst, where)
			if worst > 1 {
				t.Errorf("f(%v) = %v is wrong by %.3f ulp", where, tc.function(where), worst)
			}
		})
	}
}

func TestPowIsWithinOneUlpOfTheExactValue(t *testing.T) {
	tests := map[string]struct{ lowX, highX, lowY, highY float64 }{
		"roots":                    {0x1p-53, 1, 0, 5},
		"results near overflow":    {1e8, 1e9, -35, 35},
		"bases near one":           {0.999, 1.001, -700000, 700000},
		"bases very near one":      {1 - 0x1p-40, 1 + 0x1p-40, -0x1p48, 0x1p48},
		"subnormal results":        {1e-11, 1e-10, 28, 32},
		"between the octaves' end": {0.70, 0.72, -2000, 2000},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			ys := within(tc.lowY, tc.highY, 499)
			worst, atX, atY := 0.0, 0.0, 0.0
			for i, x := range within(tc.lowX, tc.highX, 499) {
				y := ys[len(ys)-1-i]
				if e := ulpError(stats.Pow(x, y), bigPow(bigOf(x), bigOf(y))); e > worst {
					worst, atX, atY = e, x, y
				}
			}
			t.Logf("worst error %.3f ulp, at %v^%v", worst, atX, atY)
			if worst > 1 {
				t.Errorf("%v^%v = %v is wrong by %.3f ulp", atX, atY, stats.Pow(atX, atY), worst)
			}
		})
	}
}

// Package math is a second witness, over a denser grid than the oracle can
// afford. Its own error is below one ulp here.
func TestPortableFunctionsAgreeWithPackageMath(t *testing.T) {
	tests := map[string]struct {
		function, library func(float64) float64
		low, high         float64
	}{
		"log":   {stats.Log, math.Log, 1e-300, 1e300},
		"log ≈": {stats.Log, math.Log, 0, 4},
		"log1p": {stats.Log1p, math.Log1p, -1, 4},
		"exp":   {stats.Exp, math.Exp, -700, 700},
		"exp ≈": {stats.Exp, math.Exp, -2, 2},
		"Atan":  {stats.Atan, math.Atan, -10, 10},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for _, x := range within(tc.low, tc.high, 100_000) {
				got, want := tc.function(x), tc.library(x)
				if got == want {
					continue
				}
				distance := int64(math.Float64bits(got)) - int64(math.Float64bits(want))
				if distance < -2 || distance > 2 {
					t.Fatalf("f(%v) = %v, package math has %v", x, got, want)
				}
			}
		})
	}
}

func TestSpecialCasesAreThoseOfPackageMath(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	edges := []float64{
		0, math.Copysign(0, -1), 0.5, -0.5, 1, -1, 1.5, -1.5, 2, -2, 3, -3, 0x1p52 + 1, -0x1p52 - 1, 0x1p53, 0x1p60,
		math.MaxFloat64, -math.MaxFloat64, inf, -inf, nan,
	}
	same := func(name string, got, want float64) {
		t.Helper()
		bits := math.Float64bits
		if bits(got) != bits(want) && !(got != got && want != want) && math.Abs(got-want) > 1e-13*math.Abs(want) {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
		if math.Signbit(got) != math.Signbit(want) && got == got {
			t.Errorf("%s = %v, want %v: the sign differs", name, got, want)
		}
	}
	for _, x := range edges {
		same(fmt.Sprintf("Log(%v)", x), stats.Log(x), math.Log(x))
		same(fmt.Sprintf("Log1p(%v)", x), stats.Log1p(x), math.Log1p(x))
		same(fmt.Sprintf("Exp(%v)", x), stats.Exp(x), math.Exp(x))
		same(fmt.Sprintf("Atan(%v)", x), stats.Atan(x), math.Atan(x))
		for _, y := range edges {
			same(fmt.Sprintf("Pow(%v, %v)", x, y), stats.Pow(x, y), math.Pow(x, y))
		}
	}
}

func TestPowOfSmallIntegersIsExact(t *testing.T) {
	for base := 1; base <= 20; base++ {
		power := 1.0
		for exponent := 0; exponent <= 12; exponent++ {
			if got := stats.Pow(float64(base), float64(exponent)); got != power {
				t.Errorf("%d^%d = %v, want %v", base, exponent, got, power)
			}
			power *= float64(base)
		}
	}
}
