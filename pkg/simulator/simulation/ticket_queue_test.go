// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A wait queue with removals is a sorted list with deletions.
func TestAWaitQueueIsASortedList(t *testing.T) {
	for name, ranked := range map[string]bool{"first come, first served": false, "by rank": true} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			w := ticketQueue{ranked: ranked}
			arrivals := int64(0)
			var want, away []ticket
			for step := range 20_000 {
				switch n := r.IntN(10); {
				case n < 4:
					next := ticket{turn: arrivals, id: int32(step)}
					if w.ranked {
						next.rank = int64(r.IntN(5))
					}
					arrivals++
					w.pushBack(next)
					want = append(want, next)
				case n < 6 && len(want) > 0:
					if front := w.front(); front.id != want[0].id {
						t.Fatalf("step %d: request %d is in front, want %d", step, front.id, want[0].id)
					}
					w.pop()
					away = append(away, want[0])
					want = want[1:]
				case n < 7 && len(away) > 0 && len(want) > 0 && away[len(away)-1].before(want[0]):
					// As of one that is preempted.
					last := away[len(away)-1]
					away = away[:len(away)-1]
					w.insert(last)
					want = append(want, last)
				case n < 9 && len(want) > 0:
					i := r.IntN(len(want))
					w.remove(want[i].turn)
					want = slices.Delete(want, i, i+1)
				}
				slices.SortFunc(want, func(a, b ticket) int {
					if a.before(b) {
						return -1
					}
					return 1
				})
				if w.len() != len(want) {
					t.Fatalf("step %d: %d wait, want %d", step, w.len(), len(want))
				}
				if step%500 > 0 {
					continue
				}
				if diff := cmp.Diff(slices.Clone(want), w.inOrder(), cmp.AllowUnexported(ticket{}), cmp.Transformer("empty", func(l []ticket) []ticket { return append([]ticket{}, l...) })); diff != "" {
					t.Fatalf("step %d (-want +got):\n%s", step, diff)
				}
			}
		})
	}
}
