// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"math"
	"testing"
)

// Between 0, 10 at a half and 100 values are spread evenly: a quarter lies below 5, three quarters
// below 55, and the mean is (5 + 55) ÷ 2 = 30. Scaled to 15, all are half as large.
func TestQuantilesAreSpreadEvenlyAndScaled(t *testing.T) {
	q := Quantiles{{0, 0}, {0.5, 10}, {1, 100}}
	scaled := q.ScaledTo(15)
	for share, want := range map[float64]float64{0: 0, 0.25: 5, 0.5: 10, 0.75: 55, 1: 100} {
		if got := q.At(share); math.Abs(got-want) > 1e-9 {
			t.Errorf("at %v: %v, want %v", share, got, want)
		}
		if got := scaled(share); math.Abs(got-want/2) > 1e-9 {
			t.Errorf("scaled, at %v: %v, want %v", share, got, want/2)
		}
	}
	if got := (Quantiles{{1, 0}}).ScaledTo(7)(0.3); got != 7 {
		t.Errorf("of nothing but 0: %v, want the mean", got)
	}
}
