// SPDX-License-Identifier: Apache-2.0

package native

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy"
)

func TestTies(t *testing.T) {
	// Endpoints 1, 2 and 3 are equal, and 0 is worse.
	v := view(policy.Scrape{Waiting: 1}, policy.Scrape{}, policy.Scrape{}, policy.Scrape{})
	chosen := func(how string) []int {
		spec := scoring("queue-depth", nil)
		spec.TieBreak = how
		r := mustNew(t, spec, 4)
		var all []int
		for id := range 3000 {
			all = append(all, route(t, r, v, request(id)))
		}
		return all
	}
	same(t, "first", []int{1, 1, 1, 1}, chosen(tieFirst)[:4])
	same(t, "rotate", []int{1, 2, 3, 1}, chosen(tieRotate)[:4])
	counts := map[int]int{}
	for _, e := range chosen(tieRandom) {
		counts[e]++
	}
	for e := 1; e <= 3; e++ {
		if counts[e] < 900 || counts[e] > 1100 {
			t.Errorf("endpoint %d was drawn %d times of 3000", e, counts[e])
		}
	}
	same(t, "drawn again", chosen(tieRandom), chosen(tieRandom))
	same(t, "the default", chosen(tieRandom), chosen(""))
}
