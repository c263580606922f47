// SPDX-License-Identifier: Apache-2.0

package simulation

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
			var want []ticket
			for step := range 20_000 {
				switch n := r.IntN(10); {
				case n < 4:
					next := ticket{turn: int64(step), id: int32(step), group: int32(r.IntN(7) - 3)}
					if ranked {
						next.rank = int64(r.IntN(5))
					}
					l.pushBack(next)
					want = append(want, next)
				case n < 7 && len(want) > 0:
					l.chosen = l.busy[r.IntN(len(l.busy))]
					front := l.chosen.front()
					l.pop()
					want = slices.DeleteFunc(want, func(t ticket) bool { return t == front })
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
func checkLanes(t *testing.T, l *lanes, want []ticket) {
	t.Helper()
	firsts := map[int32]ticket{}
	for _, w := range want {
		if first, ok := firsts[w.group]; !ok || w.before(first) {
			firsts[w.group] = w
		}
	}
	if l.n != len(want) || len(l.busy) != len(firsts) {
		t.Fatalf("%d tickets in %d lanes, want %d in %d", l.n, len(l.busy), len(want), len(firsts))
	}
	for _, lane := range l.busy {
		if lane.front() != firsts[lane.group] {
			t.Fatalf("%+v is in front of lane %d, want %+v", lane.front(), lane.group, firsts[lane.group])
		}
	}
	n := 0
	l.each(func(ticket) { n++ })
	if n != len(want) {
		t.Fatalf("each names %d tickets, want %d", n, len(want))
	}
}

// Groups may be as many as requests: lanes without tickets serve other groups.
func TestLanesWithoutTicketsAreUsedAgain(t *testing.T) {
	l := newLanes(true)
	for i := range int32(1000) {
		l.pushBack(ticket{turn: int64(2 * i), id: i, group: i})
		l.pushBack(ticket{turn: int64(2*i + 1), id: i, group: -i - 1})
		l.remove(ticket{turn: int64(2 * i), group: i})
		l.remove(ticket{turn: int64(2*i + 1), group: -i - 1})
	}
	if len(l.byGroup) != 0 || len(l.idle) != 2 {
		t.Errorf("%d lanes of groups and %d idle ones, want 0 and 2", len(l.byGroup), len(l.idle))
	}
}
