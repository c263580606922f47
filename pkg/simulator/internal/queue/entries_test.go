// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"math/rand/v2"
	"slices"
	"testing"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Entries with removals are a sorted list with deletions, also where two are alike.
func TestEntriesAreASortedList(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var h Entries
	var want []Entry
	for step := range 20_000 {
		switch n := r.IntN(10); {
		case n < 4:
			e := Entry{At: simtime.Time(r.IntN(50)), Number: r.IntN(20)}
			h.Push(e)
			want = append(want, e)
		case n < 6 && len(want) > 0:
			h.Pop()
			want = want[1:]
		case n < 9 && len(want) > 0:
			i := r.IntN(len(want))
			h.Remove(want[i])
			want = slices.Delete(want, i, i+1)
		}
		slices.SortFunc(want, func(a, b Entry) int {
			switch {
			case a.Before(b):
				return -1
			case b.Before(a):
				return 1
			}
			return 0
		})
		at, number, ok := h.Next()
		if ok != (len(want) > 0) || ok && (at != want[0].At || number != want[0].Number) {
			t.Fatalf("step %d: the first comes at %v, number %d (%t), want %v", step, at, number, ok, want)
		}
		n := 0
		h.Each(func(int32) { n++ })
		if n != len(want) {
			t.Fatalf("step %d: %d are on their way, want %d", step, n, len(want))
		}
	}
}
