// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/prompt"
)

// forceNext sends one request to the candidate after the chosen one.
func forceNext(which int) policy.Force {
	return func(request int, candidates []int, chosen int) int {
		if request != which {
			return chosen
		}
		return candidates[(slices.Index(candidates, chosen)+1)%len(candidates)]
	}
}

// routeShared routes requests of a few shared texts to idle endpoints.
func routeShared(t *testing.T, r policy.Router, endpoints, requests int) []policy.Route {
	t.Helper()
	var all []policy.Route
	for n := range requests {
		to, err := r.Route(idle(endpoints), withPrompt(n, prompt.Extent{Source: uint64(n % 7), Tokens: 2000}, prompt.Extent{Source: uint64(1000 + n), Tokens: 900}))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, to)
	}
	return all
}

// A forced pick changes no decision before it, and a force that leaves every pick as it is
// changes none at all.
func TestForcedPicks(t *testing.T) {
	const endpoints, requests, forced = 5, 120, 50
	for name, profile := range map[string]string{"scores": everythingProfile, "tokens": tokensProfile, "disaggregation": twoProfiles, "chance": "plugins: [{type: random-picker}]"} {
		t.Run(name, func(t *testing.T) {
			c := mustLoad(t, profile)
			want := routeShared(t, New(c, config.Cluster{Endpoints: endpoints}, 1), endpoints, requests)
			same := New(c, config.Cluster{Endpoints: endpoints}, 1)
			same.Force(forceNext(-1))
			if diff := cmp.Diff(want, routeShared(t, same, endpoints, requests)); diff != "" {
				t.Errorf("where each pick is forced to itself (-want +got):\n%s", diff)
			}
			s := New(c, config.Cluster{Endpoints: endpoints}, 1)
			s.Force(forceNext(forced))
			got := routeShared(t, s, endpoints, requests)
			if diff := cmp.Diff(want[:forced], got[:forced]); diff != "" {
				t.Errorf("before the forced pick (-want +got):\n%s", diff)
			}
			if got[forced].Endpoint != (want[forced].Endpoint+1)%endpoints {
				t.Errorf("request %d goes to %d, and to %d where forced", forced, want[forced].Endpoint, got[forced].Endpoint)
			}
		})
	}
}

// Draws after a forced pick are those that there would be without it.
func TestForcedPicksLeaveDrawsAlone(t *testing.T) {
	c := mustLoad(t, "plugins: [{type: random-picker}]")
	want := routeShared(t, New(c, config.Cluster{Endpoints: 5}, 1), 5, 100)
	s := New(c, config.Cluster{Endpoints: 5}, 1)
	s.Force(forceNext(40))
	if diff := cmp.Diff(want[41:], routeShared(t, s, 5, 100)[41:]); diff != "" {
		t.Errorf("after the forced pick (-want +got):\n%s", diff)
	}
}

// Producers hear of the forced pick: the next prompt with the same beginning follows it.
func TestForcedPicksAreRemembered(t *testing.T) {
	s := New(mustLoad(t, "plugins: [{type: prefix-cache-scorer}]"), config.Cluster{Endpoints: 4, TieBreak: config.TieFirst}, 1)
	s.Force(forceNext(0))
	got := routeShared(t, s, 4, 8)
	if got[0].Endpoint != 1 || got[7].Endpoint != 1 {
		t.Errorf("the forced request goes to %d, and the next one of its text to %d: want 1", got[0].Endpoint, got[7].Endpoint)
	}
	if d := s.LastResult(); d.Chosen != 1 {
		t.Errorf("the last decision chose %d", d.Chosen)
	}
}

// The prefill profile chooses by itself: only candidates of the decode profile are forced,
// and the decider is asked about the forced endpoint.
func TestForcedPicksAreOfTheDecodeProfile(t *testing.T) {
	c := mustLoad(t, twoProfiles)
	s := New(c, config.Cluster{Endpoints: 4}, 1)
	asked := 0
	s.Force(func(_ int, candidates []int, chosen int) int {
		asked++
		return candidates[len(candidates)-1]
	})
	for n, to := range routeShared(t, s, 4, 40) {
		if to.Endpoint != 3 {
			t.Errorf("request %d decodes on %d, want 3", n, to.Endpoint)
		}
	}
	if asked != 40 {
		t.Errorf("asked %d times about 40 requests", asked)
	}
}

// Each of several EPPs is asked about its own requests.
func TestForcedPicksOfReplicas(t *testing.T) {
	r := NewReplicas(mustLoad(t, everythingProfile), config.Cluster{Endpoints: 3}, 3, 1)
	var asked []int
	r.Force(func(request int, _ []int, chosen int) int {
		asked = append(asked, request)
		return 2
	})
	var told []int
	r.Explain(func(x *scheduler.Explanation) { told = append(told, *x.Endpoint) })
	for n := range 6 {
		q := request(n, 100)
		q.Turn = n
		if to, err := r.Route(idle(3), q); err != nil || to.Endpoint != 2 {
			t.Errorf("request %d: %v, %v", n, to, err)
		}
	}
	if diff := cmp.Diff([][]int{{0, 1, 2, 3, 4, 5}, {2, 2, 2, 2, 2, 2}}, [][]int{asked, told}); diff != "" {
		t.Errorf("asked, and explained (-want +got):\n%s", diff)
	}
	r.Force(nil)
	if _, err := r.Route(idle(3), request(6, 100)); err != nil || len(asked) != 6 {
		t.Errorf("asked about %v, error %v", asked, err)
	}
}
