// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// observerParameters are the defaults, as the loader resolves them, with fewer requests.
func observerParameters() *latencyObserverParameters {
	p := newLatencyObserverParameters()
	p.interval, p.maxAge, p.bucket = time.Second, 3*time.Minute, time.Minute
	p.MinRequests = 5
	return p
}

// observations at 1 s intervals: i is at i s, of i/10 s with i requests in flight.
func observations(first, last int) []observation {
	var all []observation
	for i := first; i <= last; i++ {
		all = append(all, observation{at: simtime.Time(i) * simtime.Time(time.Second), ttft: float64(i) / 10, inFlight: int64(i)})
	}
	return all
}

// The figures are worked out by hand: of values 0.1 to 1.1 the P10 is 0.2, the P25 0.35, the P50 0.6; in
// flight from P15 to P35 are places 1 to 3, from P40 to P60 places 4 to 6.
func TestObservedLatency(t *testing.T) {
	for name, tc := range map[string]struct {
		given []observation
		at    float64 // seconds
		alter func(*latencyObserverParameters)
		want  observedLatency
	}{
		"percentiles of recent ones, and their P10 as the floor": {
			given: observations(1, 11), at: 12,
			want: observedLatency{floor: 0.2, low: 0.35, typical: 0.6, inFlightAtLow: 3, inFlightAtTyp: 6, calibrated: true},
		},
		// Of 0.1 to 1 the P10 is 0.19, the P25 0.325, the P50 0.55.
		"one at an interval counts from the next one on": {
			given: observations(1, 11), at: 11.5,
			want: observedLatency{floor: 0.19, low: 0.325, typical: 0.55, inFlightAtLow: 3, inFlightAtTyp: 5, calibrated: true},
		},
		"too few": {
			given: observations(1, 4), at: 5,
			want: observedLatency{low: 0.175, typical: 0.25, inFlightAtLow: 1.5, inFlightAtTyp: 2},
		},
		// The bucket from 1 s to 61 s has 0.1 to 1.1; at 300 s all are too old to be recent.
		"a closed bucket keeps the floor": {
			given: observations(1, 11), at: 300,
			want: observedLatency{floor: 0.2},
		},
		"the newest alone": {
			given: observations(1, 11), at: 12, alter: func(p *latencyObserverParameters) { p.MaxRequests = 3 },
			want: observedLatency{floor: 0.92, low: 0.95, typical: 1, inFlightAtLow: 9, inFlightAtTyp: 9.5},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := observerParameters()
			if tc.alter != nil {
				tc.alter(p)
			}
			var e observedEndpoint
			for _, o := range tc.given {
				if o.at.Seconds() > tc.at {
					break
				}
				e.advance(p, o.at)
				e.observe(o, p.WindowSize)
			}
			e.advance(p, simtime.Time(tc.at*1e9))
			if diff := cmp.Diff(tc.want, e.published, cmp.AllowUnexported(observedLatency{}), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
				t.Errorf("−want +got:\n%s", diff)
			}
		})
	}
}

// Of too many buckets the slowest is forgotten: of floors 0.5, 0.1, 0.9 and 0.3 stay 0.1 and 0.3, and
// the floor of these is 0.12.
func TestSlowBucketsAreForgotten(t *testing.T) {
	p := observerParameters()
	p.BucketHistorySize = 2
	var e observedEndpoint
	for i, ttft := range []float64{0.5, 0.1, 0.9, 0.3} {
		at := simtime.Time(30+60*i) * simtime.Time(time.Second)
		e.advance(p, at)
		e.observe(observation{at: at, ttft: ttft}, p.WindowSize)
	}
	e.advance(p, simtime.Time(300*time.Second))
	if want := []float64{0.1, 0.3}; !slices.Equal(e.floors, want) {
		t.Errorf("floors %v, want %v", e.floors, want)
	}
	if got := e.floor; got < 0.12-1e-9 || got > 0.12+1e-9 {
		t.Errorf("floor %v, want 0.12", got)
	}
}

// What is kept of an endpoint is bounded.
func TestObservationsAreBounded(t *testing.T) {
	var e observedEndpoint
	for _, o := range observations(1, 20) {
		e.observe(o, 8)
	}
	if len(e.observations) != 8 || e.observations[0].inFlight != 13 || e.total != 20 {
		t.Errorf("%d observations from %d, of %d", len(e.observations), e.observations[0].inFlight, e.total)
	}
}
