// SPDX-License-Identifier: Apache-2.0

package queue

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
			w := Tickets{Ranked: ranked}
			arrivals := int64(0)
			var want, away []Ticket
			for step := range 20_000 {
				switch n := r.IntN(10); {
				case n < 4:
					next := Ticket{Turn: arrivals, Id: int32(step)}
					if w.Ranked {
						next.Rank = int64(r.IntN(5))
					}
					arrivals++
					w.PushBack(next)
					want = append(want, next)
				case n < 6 && len(want) > 0:
					if front := w.Front(); front.Id != want[0].Id {
						t.Fatalf("step %d: request %d is in front, want %d", step, front.Id, want[0].Id)
					}
					w.Pop()
					away = append(away, want[0])
					want = want[1:]
				case n < 7 && len(away) > 0 && len(want) > 0 && away[len(away)-1].Before(want[0]):
					// As of one that is preempted.
					last := away[len(away)-1]
					away = away[:len(away)-1]
					w.insert(last)
					want = append(want, last)
				case n < 9 && len(want) > 0:
					i := r.IntN(len(want))
					w.Remove(want[i].Turn)
					want = slices.Delete(want, i, i+1)
				}
				slices.SortFunc(want, func(a, b Ticket) int {
					if a.Before(b) {
						return -1
					}
					return 1
				})
				if w.Len() != len(want) {
					t.Fatalf("step %d: %d wait, want %d", step, w.Len(), len(want))
				}
				if step%500 > 0 {
					continue
				}
				if diff := cmp.Diff(slices.Clone(want), w.inOrder(), cmp.AllowUnexported(Ticket{}), cmp.Transformer("empty", func(l []Ticket) []Ticket { return append([]Ticket{}, l...) })); diff != "" {
					t.Fatalf("step %d (-want +got):\n%s", step, diff)
				}
			}
		})
	}
}
