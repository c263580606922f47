// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"math/rand/v2"
	"testing"
)

// The set is a map: random IDs, many of them alike, and some that meet in one slot.
func TestBlockSetIsAMap(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	var set blockSet
	have := map[uint64]bool{}
	for range 40_000 {
		id := draw.Uint64N(10_000) << (8 * draw.UintN(3))
		if got, want := set.add(id), have[id]; got != want {
			t.Fatalf("ID %#x was there: %t, want %t", id, got, want)
		}
		have[id] = true
	}
}
