// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"math"
	"testing"
)

func TestNormalTailAgreesWithPackageMath(t *testing.T) {
	for x := -9.0; x < 37; x += 0.0137 {
		want := 0.5 * math.Erfc(x/math.Sqrt2)
		if got := normalTail(x); math.Abs(got-want) > (1e-14+3e-16*x*x)*want {
			t.Fatalf("normalTail(%v) = %v, want %v (off by %.1e)", x, got, want, got/want-1)
		}
	}
}

func TestNormalTailOfExtremes(t *testing.T) {
	for x, want := range map[float64]float64{0: 0.5, math.Inf(1): 0, math.Inf(-1): 1, 1e-300: 0.5, 100: 0, -100: 1} {
		if got := normalTail(x); got != want {
			t.Errorf("normalTail(%v) = %v, want %v", x, got, want)
		}
	}
	if got := normalTail(math.NaN()); !math.IsNaN(got) {
		t.Errorf("normalTail(NaN) = %v", got)
	}
}
