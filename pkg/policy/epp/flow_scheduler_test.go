// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"errors"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

const gated = "featureGates: [flowControl]\n"

// Requests of negative priority wait too, and where they go is chosen when they
// do.
func TestEndpointsAreChosenWhenARequestLeaves(t *testing.T) {
	s := New(mustLoad(t, gated+"plugins: [{type: queue-scorer}]"), config.Cluster{Endpoints: 2}, 1)
	r := request(7, 1)
	r.Priority = -1
	if _, err := s.Route(&policy.View{Now: ms, Scrapes: []policy.Scrape{{Waiting: 5}, {Waiting: 9}}}, r); !errors.Is(err, policy.ErrHeld) {
		t.Fatalf("error %v", err)
	}
	if r, ok := s.Release(&policy.View{Now: ms, Scrapes: []policy.Scrape{{Waiting: 5}, {Waiting: 9}}}); ok {
		t.Fatalf("released %+v", r)
	}
	if at, ok := s.Wake(ms); !ok || at != 2*ms {
		t.Fatalf("wakes at %v (%t)", at, ok)
	}
	got, ok := s.Release(&policy.View{Now: 2 * ms, Scrapes: []policy.Scrape{{Waiting: 5}, {Waiting: 1}}})
	if !ok || got.Request != 7 || got.Err != nil || got.Decision != policy.To(1) {
		t.Errorf("released %+v (%t)", got, ok)
	}
}

// With flow control, decisions are those of a scheduler without that is asked
// when a request leaves: what has changed in the meantime is not lost.
func TestWhatChangesWhileRequestsWaitIsSeen(t *testing.T) {
	const profile = "plugins: [{type: queue-scorer}, {type: kv-cache-utilization-scorer}, {type: active-request-scorer}]"
	const endpoints = 4
	held := New(mustLoad(t, gated+profile), config.Cluster{Endpoints: endpoints}, 1)
	other := New(mustLoad(t, profile), config.Cluster{Endpoints: endpoints}, 1)
	stream := stats.NewStream(1, "changes")
	scrapes := make([]policy.Scrape, endpoints)
	requests, released := map[int]*policy.Request{}, 0
	for step := range 4000 {
		now := simtime.Time(step) * ms
		var changed []int32
		for e := range scrapes {
			scrapes[e].At = now
			if stream.IntN(3) == 0 {
				scrapes[e].Waiting = stream.IntN(11)
				changed = append(changed, int32(e))
			}
		}
		view := func(changed []int32) *policy.View { return &policy.View{Now: now, Scrapes: scrapes, Changed: changed} }
		if stream.IntN(3) == 0 {
			r := request(step, 1)
			requests[step] = r
			if _, err := held.Route(view(changed), r); !errors.Is(err, policy.ErrHeld) {
				t.Fatal(err)
			}
			changed = []int32{}
		}
		for {
			got, ok := held.Release(view(changed))
			if changed = []int32{}; !ok {
				break
			}
			want, err := other.Route(view(nil), requests[got.Request])
			if err != nil || got.Err != nil || got.Decision != want {
				t.Fatalf("request %d: %+v, want %+v (%v)", got.Request, got, want, err)
			}
			released++
		}
	}
	if released < 1000 || released > len(requests) {
		t.Errorf("%d of %d requests released", released, len(requests))
	}
}

// Flows are in order of the tenants' names.
func TestFlowsAreInOrderOfNames(t *testing.T) {
	s := New(mustLoad(t, gated+"plugins: [{type: round-robin-fairness-policy}]\nflowControl: {defaultPriorityBand: {fairnessPolicyRef: round-robin-fairness-policy}}"),
		config.Cluster{Endpoints: 1, Tenants: []string{"zoe", "adam", "mia"}}, 1)
	full := []policy.Scrape{{Waiting: 5}}
	for id, tenant := range []int{0, 2, 1} {
		r := request(id, 1)
		r.Tenant = tenant
		if _, err := s.Route(&policy.View{Now: ms / 2, Scrapes: full}, r); !errors.Is(err, policy.ErrHeld) {
			t.Fatal(err)
		}
		if r, ok := s.Release(&policy.View{Now: ms / 2, Scrapes: full}); ok {
			t.Fatalf("released %+v", r)
		}
	}
	for tick, want := range []int{2, 1, 0} {
		got, _ := s.Release(&policy.View{Now: simtime.Time(tick+1) * ms, Scrapes: make([]policy.Scrape, 1)})
		if got.Request != want {
			t.Errorf("tick %d: request %d, want %d", tick, got.Request, want)
		}
	}
}

func TestTreatmentOfPoliciesThatAreNamed(t *testing.T) {
	c := mustLoad(t, gated+"plugins: [{type: edf-ordering-policy}, {type: slo-deadline-ordering-policy}, {type: program-aware-fairness}, {type: soft-reflective-ceiling-policy}, {type: agent-identity}]\n"+
		"flowControl: {usageLimitPolicyPluginRef: soft-reflective-ceiling-policy, priorityBands: [{priority: 1, orderingPolicyRef: slo-deadline-ordering-policy}], defaultNegativePriorityBand: {fairnessPolicyRef: program-aware-fairness}}")
	want := map[string]config.Treatment{
		"edf-ordering-policy": config.NoEffect, "slo-deadline-ordering-policy": config.Exact, "program-aware-fairness": config.Approximated,
		"soft-reflective-ceiling-policy": config.Approximated, "agent-identity": config.Approximated,
		"fcfs-ordering-policy": config.Exact, "global-strict-fairness-policy": config.Exact, "static-usage-limit-policy": config.NoEffect, "utilization-detector": config.Exact,
	}
	for _, r := range c.Report(nil) {
		if how, ok := want[r.Name]; ok && r.Treatment != how {
			t.Errorf("%s: %s (%s), want %s", r.Name, r.Treatment, r.Note, how)
		}
	}
	if errs := c.Check(&config.Cluster{Endpoints: 1}, inline); len(errs) > 0 {
		t.Error(errs)
	}
}

// The queue is of real time: a run of a whole second without a request costs
// nothing, and no tick is made up for.
func TestIdleGatewaysDoNotWake(t *testing.T) {
	s := New(mustLoad(t, gated+"plugins: [{type: queue-scorer}]"), config.Cluster{Endpoints: 1}, 1)
	if _, ok := s.Wake(0); ok {
		t.Error("wakes with nobody waiting")
	}
	at := simtime.Time(5 * time.Second)
	if _, err := s.Route(&policy.View{Now: at, Scrapes: []policy.Scrape{{At: at}}}, request(0, 1)); !errors.Is(err, policy.ErrHeld) {
		t.Fatal(err)
	}
	if _, ok := s.Release(&policy.View{Now: at, Scrapes: []policy.Scrape{{At: at}}}); !ok {
		t.Error("not released at once")
	}
	if _, ok := s.Wake(at); ok {
		t.Error("wakes with nobody waiting")
	}
}
