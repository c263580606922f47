// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// inFlightOf are requests of given priorities, from ID 1, who leave at 1 ms.
func inFlightOf(priorities ...int) []happening {
	var events []happening
	for i, p := range priorities {
		events = append(events, happening{at: 1, id: i + 1, priority: p, level: free})
	}
	return events
}

// TestEviction tells who is ended when somebody waits who matters more.
func TestEviction(t *testing.T) {
	for name, tc := range map[string]struct {
		inFlight []int // priorities
		then     happening
		bands    string
		until    simtime.Time // ms
		want     []string
	}{
		"the lowest priority first, of equal ones the last, one where the ceiling is just reached": {
			inFlight: []int{-1, -2, -2, -1}, then: happening{at: 5, id: 9, level: full},
			until: 400, want: []string{"5ms 3: evicted"},
		},
		"then nobody for half a second": {
			inFlight: []int{-1, -2, -2, -1}, then: happening{at: 5, id: 9, level: full},
			until: 1200, want: []string{"5ms 3: evicted", "505ms 2: evicted", "1.005s 4: evicted"},
		},
		"two at a time at most": {
			inFlight: []int{-1, -1, -1, -1}, then: happening{at: 5, id: 9, level: 3},
			until: 400, want: []string{"5ms 4: evicted", "5ms 3: evicted"},
		},
		"no more than what is above the ceiling is worth": {
			inFlight: []int{-1, -1, -1, -1, 1, 1, 1, 1}, then: happening{at: 5, id: 9, level: 1.1},
			until: 400, want: []string{"5ms 4: evicted"},
		},
		"nobody of a priority of 0 or more": {
			inFlight: []int{0, 1}, then: happening{at: 5, id: 9, priority: 7, level: 3}, until: 400,
		},
		"nobody for an equal": {
			inFlight: []int{-1, -1}, then: happening{at: 5, id: 9, priority: -1, level: 3}, until: 400,
		},
		"nor the second one of two": {
			inFlight: []int{-1, -2}, then: happening{at: 5, id: 9, priority: -1, level: 3},
			until: 400, want: []string{"5ms 2: evicted"},
		},
		"for those in a band below the first that is blocked": {
			inFlight: []int{-1}, then: happening{at: 5, id: 9, level: full}, bands: ", priorityBands: [{priority: 4}]",
			until: 400, want: []string{"5ms 1: evicted"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newFlowBench(someBands(t, "{enableEviction: true"+tc.bands+"}", router10), router10)
			for _, e := range append(inFlightOf(tc.inFlight...), tc.then) {
				g.until(simtime.Time(e.at) * ms)
				g.level = e.level
				g.arrive(simtime.Time(e.at)*ms, policy.Request{ID: e.id, Priority: e.priority})
			}
			g.until(tc.until * ms)
			if diff := cmp.Diff(tc.want, g.log[len(tc.inFlight):], cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("−want +got:\n%s", diff)
			}
		})
	}
}

// A ceiling of 0 is no matter of room, and one that is not reached needs none.
func TestNobodyIsEvictedInVain(t *testing.T) {
	for name, tc := range map[string]struct {
		ceiling, saturation float64
		waiting             int64
		want                bool
	}{
		"blocked":                {1, 1, 1, true},
		"a ceiling of 0":         {0, 1, 1, false},
		"a ceiling of its own":   {1.5, 1, 1, false},
		"nobody waits":           {1, 1, 0, false},
		"no saturation to share": {0.5, 0, 1, false},
	} {
		e := newFlowEviction()
		e.routed(&cycle{request: 3, priority: -1}, picks{})
		e.makeRoom(1, tc.saturation, []*flowBand{{requests: tc.waiting}}, []float64{tc.ceiling})
		if id, got := e.next(); got != tc.want || got && id != 3 {
			t.Errorf("%s: request %d is evicted: %t, want %t", name, id, got, tc.want)
		}
	}
}

// Who is evicted takes no part in the load from then on, so that the others go
// with the next cycle.
func TestEvictionMakesRoom(t *testing.T) {
	const text = gated + "plugins: [{type: queue-scorer}, {type: concurrency-detector, parameters: {maxConcurrency: 1}}]\n" +
		"flowControl: {saturationDetector: {pluginRef: concurrency-detector}, enableEviction: "
	c := mustLoad(t, text+"true}")
	if errs := c.Check(&Cluster{Endpoints: 1}, inline); len(errs) > 0 || len(c.Approximations()) != 1 {
		t.Fatalf("errors %v, approximations %q", errs, c.Approximations())
	}
	s := New(c, Cluster{Endpoints: 1}, 1)
	at := func(now simtime.Time) *policy.View { return &policy.View{Now: now, Scrapes: make([]policy.Scrape, 1)} }
	low, high := request(1, 5), request(2, 5)
	low.Priority = -1
	for _, r := range []*policy.Request{low, high} {
		if _, err := s.Route(at(ms), r); !errors.Is(err, policy.ErrHeld) {
			t.Fatal(err)
		}
		if got, ok := s.Release(at(ms)); ok != (r == low) {
			t.Fatalf("released %+v (%t)", got, ok)
		}
		for _, more := s.Release(at(ms)); more; _, more = s.Release(at(ms)) {
		}
	}
	if id, ok := s.Evict(ms); !ok || id != low.ID {
		t.Fatalf("evicts %d (%t)", id, ok)
	}
	s.Finished(low, 0)
	if id, ok := s.Evict(ms); ok {
		t.Errorf("evicts %d too", id)
	}
	if got, ok := s.Release(at(2 * ms)); !ok || got.Request != high.ID {
		t.Errorf("released %+v (%t)", got, ok)
	}
	if off := mustLoad(t, text+"false}"); New(off, Cluster{Endpoints: 1}, 1).Routing().Evictor != nil || len(off.Approximations()) > 0 {
		t.Error("evicts though that is off")
	}
}
