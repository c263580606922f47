// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Lanes with removals are sorted lists, one for each group, however tickets come and go.
func TestLanesAreSortedLists(t *testing.T) {
	for name, ranked := range map[string]bool{"first come, first served": false, "by rank": true} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, 6))
			l := newLanes(ranked)
			var want []Ticket
			for step := range 20_000 {
				switch n := r.IntN(10); {
				case n < 4:
					next := Ticket{Turn: int64(step), Id: int32(step), Group: int32(r.IntN(7) - 3)}
					if ranked {
						next.Rank = int64(r.IntN(5))
					}
					l.pushBack(next)
					want = append(want, next)
				case n < 7 && len(want) > 0:
					l.chosen = l.busy[r.IntN(len(l.busy))]
					front := l.chosen.Front()
					l.pop()
					want = slices.DeleteFunc(want, func(t Ticket) bool { return t == front })
				case n < 9 && len(want) > 0:
					i := r.IntN(len(want))
					l.remove(want[i])
					want = slices.Delete(want, i, i+1)
				}
				checkLanes(t, l, want)
			}
		})
	}
}

// checkLanes compares lanes with what they should hold.
func checkLanes(t *testing.T, l *lanes, want []Ticket) {
	t.Helper()
	firsts := map[int32]Ticket{}
	for _, w := range want {
		if first, ok := firsts[w.Group]; !ok || w.Before(first) {
			firsts[w.Group] = w
		}
	}
	if l.n != len(want) || len(l.busy) != len(firsts) {
		t.Fatalf("%d tickets in %d lanes, want %d in %d", l.n, len(l.busy), len(want), len(firsts))
	}
	for _, lane := range l.busy {
		if lane.Front() != firsts[lane.group] {
			t.Fatalf("%+v is in front of lane %d, want %+v", lane.Front(), lane.group, firsts[lane.group])
		}
	}
	n := 0
	l.each(func(Ticket) { n++ })
	if n != len(want) {
		t.Fatalf("each names %d tickets, want %d", n, len(want))
	}
}

// Groups may be as many as requests: lanes without tickets serve other groups.
func TestLanesWithoutTicketsAreUsedAgain(t *testing.T) {
	l := newLanes(true)
	for i := range int32(1000) {
		l.pushBack(Ticket{Turn: int64(2 * i), Id: i, Group: i})
		l.pushBack(Ticket{Turn: int64(2*i + 1), Id: i, Group: -i - 1})
		l.remove(Ticket{Turn: int64(2 * i), Group: i})
		l.remove(Ticket{Turn: int64(2*i + 1), Group: -i - 1})
	}
	if len(l.byGroup) != 0 || len(l.idle) != 2 {
		t.Errorf("%d lanes of groups and %d idle ones, want 0 and 2", len(l.byGroup), len(l.idle))
	}
}
