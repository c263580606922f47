// SPDX-License-Identifier: Apache-2.0

package route

import (
	"math"
	"testing"
)

func TestDrawsDivideTheIntervalByWeights(t *testing.T) {
	shares := []Share{{0, 90}, {1, 0}, {2, 10}}
	for draw, want := range map[uint64]int{
		0:                                0,
		math.MaxUint64/10*9 - 1<<10:      0,
		math.MaxUint64/10*9 + 1<<10:      2,
		math.MaxUint64:                   2,
		uint64(float64(0.5) * (1 << 63)): 0,
	} {
		if got := pick(shares, draw); got != want {
			t.Errorf("draw %#x falls on %d, want %d", draw, got, want)
		}
	}
}

func TestAShareThatGrowsKeepsItsDraws(t *testing.T) {
	for _, draw := range []uint64{1, 1 << 60, 1 << 63, 3 << 62, math.MaxUint64 / 10 * 9, math.MaxUint64} {
		had := false
		for _, weight := range []int32{0, 1, 10, 25, 50, 99, 100} {
			has := pick([]Share{{0, 100 - weight}, {1, weight}}, draw) == 1
			if had && !has {
				t.Errorf("draw %#x leaves the second share at %d %%", draw, weight)
			}
			had = has
		}
		if !had {
			t.Errorf("draw %#x is not in a share of 100 %%", draw)
		}
	}
}
