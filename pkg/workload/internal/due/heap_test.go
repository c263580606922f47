// SPDX-License-Identifier: Apache-2.0

package due

import (
	"math/rand/v2"
	"slices"
	"testing"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// The oracle of the heap is a sorted list.
func TestTheEarliestPlaceComesFirst(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var h Heap
	var sorted []Place
	for range 20_000 {
		if len(sorted) > 0 && random.IntN(5) < 2 {
			if got := h.Pop(); got != sorted[0] {
				t.Fatalf("the heap has %v first, want %v", got, sorted[0])
			}
			sorted = sorted[1:]
			continue
		}
		d := Place{At: simtime.Time(random.IntN(50)), Of: int32(random.IntN(3)), Place: int32(random.IntN(1000))}
		h.Push(d)
		i, _ := slices.BinarySearchFunc(sorted, d, func(a, b Place) int {
			if a.Before(b) {
				return -1
			}
			return 1
		})
		sorted = slices.Insert(sorted, i, d)
	}
}
