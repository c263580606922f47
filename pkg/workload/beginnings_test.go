// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/workload/internal/due"
)

// The oracle of beginnings is a sorted list of all.
func TestBeginningsAreInOrder(t *testing.T) {
	for _, rampUp := range []time.Duration{0, 1, 3, 100, time.Second} {
		for _, users := range []int{1, 2, 5, 11} {
			for _, copies := range []int{1, 3, 8} {
				t.Run(fmt.Sprintf("%d users of %d copies in %v", users, copies, rampUp), func(t *testing.T) {
					loop := &ClosedLoop{Concurrency: users, RampUp: rampUp}
					var want, got []due.Place
					for of := range int32(copies) {
						for user := range int32(users) {
							want = append(want, due.Place{At: loop.begins(user), Of: of, Place: user})
						}
					}
					slices.SortFunc(want, func(a, b due.Place) int {
						if a.Before(b) {
							return -1
						}
						return 1
					})
					for b := newBeginnings(loop, copies); b.next.At < due.MaxTime; {
						got = append(got, b.take())
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("beginnings (−want +got):\n%s", diff)
					}
				})
			}
		}
	}
}
