// SPDX-License-Identifier: Apache-2.0

package flowcontrol

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// testGrace is a grace of no version, for tests of what happens before and after one.
const testGrace = 500 * time.Millisecond

// TestEvictionGrace has the figures that the runners of router-v0.10.0 and router-main
// log: 10 ms where the detector counts, else the scrape interval (50 ms unless the flag
// --refresh-metrics-interval says more) + 2 s of staleness + 250 ms for the engine.
func TestEvictionGrace(t *testing.T) {
	for name, tc := range map[string]struct {
		detector string
		scrapes  time.Duration
		want     time.Duration
	}{
		"counts":                  {"concurrency-detector", 0, 10 * time.Millisecond},
		"counts, slow scrapes":    {"concurrency-detector", 5 * time.Second, 10 * time.Millisecond},
		"reads metrics":           {"utilization-detector", 0, 2300 * time.Millisecond},
		"the greatest of several": {"max-saturation-detector", 0, 2300 * time.Millisecond},
		"reads metrics every 5 s": {"utilization-detector", 5 * time.Second, 7250 * time.Millisecond},
		"no detector":             {"", 0, 2300 * time.Millisecond},
	} {
		var detector *config.Plugin
		if tc.detector != "" {
			detector = &config.Plugin{Name: "mine", Type: tc.detector}
		}
		if got := evictionGrace(detector, tc.scrapes); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}

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
		"then nobody for the grace": {
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
			g := newFlowBench(someBands(t, "{enableEviction: true"+tc.bands+"}", version.Router10), version.Router10)
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
func TestEvictionsAlwaysMakeRoom(t *testing.T) {
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
		e := newFlowEviction(testGrace)
		e.Routed(&scheduler.Cycle{Request: 3, Priority: -1}, scheduler.Picks{})
		e.makeRoom(1, tc.saturation, []*flowBand{{requests: tc.waiting}}, []float64{tc.ceiling})
		if id, got := e.next(); got != tc.want || got && id != 3 {
			t.Errorf("%s: request %d is evicted: %t, want %t", name, id, got, tc.want)
		}
	}
}
