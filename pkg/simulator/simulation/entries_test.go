// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"math/rand/v2"
	"slices"
	"testing"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Entries with removals are a sorted list with deletions, also where two are alike.
func TestEntriesAreASortedList(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var h entries
	var want []entry
	for step := range 20_000 {
		switch n := r.IntN(10); {
		case n < 4:
			e := entry{at: simtime.Time(r.IntN(50)), number: r.IntN(20)}
			h.push(e)
			want = append(want, e)
		case n < 6 && len(want) > 0:
			h.pop()
			want = want[1:]
		case n < 9 && len(want) > 0:
			i := r.IntN(len(want))
			h.remove(want[i])
			want = slices.Delete(want, i, i+1)
		}
		slices.SortFunc(want, func(a, b entry) int {
			switch {
			case a.before(b):
				return -1
			case b.before(a):
				return 1
			}
			return 0
		})
		at, number, ok := h.next()
		if ok != (len(want) > 0) || ok && (at != want[0].at || number != want[0].number) {
			t.Fatalf("step %d: the first comes at %v, number %d (%t), want %v", step, at, number, ok, want)
		}
		n := 0
		h.each(func(int32) { n++ })
		if n != len(want) {
			t.Fatalf("step %d: %d are on their way, want %d", step, n, len(want))
		}
	}
}
