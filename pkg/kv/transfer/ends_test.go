// SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"math/rand/v2"
	"slices"
	"testing"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// TestEndsAreAList of times, in which the first is searched for.
func TestEndsAreAList(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var e ends
	var list []simtime.Time
	for range 5000 {
		if len(list) == 0 || r.IntN(50) == 0 {
			list = append(list, simtime.Never)
			e = e.withRoom(len(list))
		}
		at, due := r.IntN(len(list)), simtime.Time(1+r.IntN(20))
		if r.IntN(3) == 0 {
			due = simtime.Never
		}
		list[at] = due
		e.set(StationID(at), due)
		first, earliest := e.first()
		if want := slices.Min(list); earliest != want || want < simtime.Never && list[first] != want {
			t.Fatalf("station %d ends first, at %v; want %v of %v", first, earliest, want, list)
		}
	}
}
