// SPDX-License-Identifier: Apache-2.0

package stability

import (
	"math"
	"testing"
)

func TestWholeBlocks(t *testing.T) {
	for _, tc := range []struct {
		blocks float64
		want   int
	}{
		{-1, 0},
		{0, 0},
		{1e-12, 0},
		{0.5, 1},
		{2.9999999999, 3},
		{3, 3},
		{3.0000000001, 3}, // three, and what arithmetic added
		{3.000001, 4},
		{math.Inf(1), maxBlocks},
	} {
		if got := wholeBlocks(tc.blocks); got != tc.want {
			t.Errorf("wholeBlocks(%v) = %d, want %d", tc.blocks, got, tc.want)
		}
	}
}

func TestRecommendedKVBits(t *testing.T) {
	for utilization, want := range map[float64]int{
		0: 16, 0.69: 16, 0.70: 8, 0.84: 8, 0.85: 4, 0.94: 4, 0.95: 2, 1.5: 2, math.Inf(1): 2,
	} {
		if got := recommendedKVBits(utilization); got != want {
			t.Errorf("at %v: %d bits, want %d", utilization, got, want)
		}
	}
}
