// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"math"
	"testing"
)

func TestNormalQuantileInvertsTheDistributionFunction(t *testing.T) {
	for p := 0x1p-53; p < 0.5; p *= 1.01 {
		x := normalQuantile(p)
		if back := math.Erfc(-x/math.Sqrt2) / 2; math.Abs(back-p) > 1e-13*p {
			t.Fatalf("normalQuantile(%v) = %v, below which %v lies", p, x, back)
		}
		if mirrored := normalQuantile(1 - p); p > 1e-3 && math.Abs(x+mirrored) > 1e-12 {
			t.Fatalf("normalQuantile(%v) = %v, normalQuantile(1-%v) = %v", p, x, p, mirrored)
		}
	}
	if middle := normalQuantile(0.5); middle != 0 {
		t.Errorf("normalQuantile(0.5) = %v", middle)
	}
}
