// SPDX-License-Identifier: Apache-2.0

package native

import (
	"slices"
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy"
)

// forceNext sends one request to the candidate after the chosen one.
func forceNext(which int) func(int, []int, int) int {
	return func(request int, candidates []int, chosen int) int {
		if request != which {
			return chosen
		}
		return candidates[(slices.Index(candidates, chosen)+1)%len(candidates)]
	}
}

// A forced pick changes no pick before it, and a force that leaves every pick as it is
// changes none at all.
func TestForcedPicks(t *testing.T) {
	const requests, forced = 600, 250
	eachPolicy(t, func(t *testing.T, spec Spec) {
		want := serve(t, mustNew(t, spec, 5), newTraffic(5), requests)
		idle := mustNew(t, spec, 5)
		idle.Force(forceNext(-1))
		same(t, "where each pick is forced to itself", want, serve(t, idle, newTraffic(5), requests))
		r := mustNew(t, spec, 5)
		r.Force(forceNext(forced))
		got := serve(t, r, newTraffic(5), requests)
		same(t, "before the forced pick", want[:forced], got[:forced])
		if got[forced] == want[forced] {
			t.Errorf("request %d goes to endpoint %d all the same", forced, got[forced])
		}
	})
}

// A policy that draws or counts turns whatever came before makes the same picks after a
// forced one.
func TestForcedPicksLeaveDrawsAlone(t *testing.T) {
	for _, name := range []string{"random", "round-robin"} {
		t.Run(name, func(t *testing.T) {
			want := serve(t, mustNew(t, Spec{Policy: name}, 5), newTraffic(5), 300)
			r := mustNew(t, Spec{Policy: name}, 5)
			r.Force(forceNext(100))
			got := serve(t, r, newTraffic(5), 300)
			same(t, "after the forced pick", want[101:], got[101:])
		})
	}
}

// The router's counters and index hear of the forced pick, not of the chosen one.
func TestForcedPicksAreCountedAndRemembered(t *testing.T) {
	counted := mustNew(t, Spec{Policy: "least-loaded", Parameters: map[string]string{"load": "in-flight"}, TieBreak: tieFirst}, 3)
	counted.Force(forceNext(0))
	v := view(make([]policy.Scrape, 3)...)
	q := request(0, text(1, 160))
	same(t, "the forced endpoint", 1, route(t, counted, v, q))
	same(t, "the requests in flight", []int{0, 1, 0}, counted.inFlight)
	counted.Finished(q, 1)

	remembers := mustNew(t, Spec{Policy: "prefix-affinity", TieBreak: tieFirst}, 3)
	remembers.Force(forceNext(0))
	route(t, remembers, v, q)
	same(t, "the endpoint that has the prefix", 1, route(t, remembers, v, request(1, text(1, 160))))
}
