// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Traffic is what the gateway has counted of the requests that reached it. It is as
// of now: a gateway counts its own requests without a scrape. The gateway that owns
// it calls its methods; policies read its fields and rates.
type Traffic struct {
	// All counts every request, Tenants and Classes those of each, indexed as the
	// workload's labels.
	All              Flow
	Tenants, Classes []Flow

	// parts count the requests of each router where there are several.
	parts []*Traffic
}

// NewTraffic returns counters for a number of tenants and classes, with rates over a
// window of time.
func NewTraffic(tenants, classes int, window time.Duration) *Traffic {
	t := &Traffic{All: newFlow(window), Tenants: make([]Flow, tenants), Classes: make([]Flow, classes)}
	for i := range t.Tenants {
		t.Tenants[i] = newFlow(window)
	}
	for i := range t.Classes {
		t.Classes[i] = newFlow(window)
	}
	return t
}

// trafficByRouter returns counters of the requests of several routers, each with counters
// of its own.
func trafficByRouter(parts ...*Traffic) *Traffic { return &Traffic{parts: parts} }

// Flow counts requests of one kind.
type Flow struct {
	// Arrived, Admitted and Rejected count requests since the start. A request is
	// rejected by the admission, by the router or at an engine's door, and may have
	// been admitted before.
	Arrived, Admitted, Rejected int64
	// Completed counts requests whose answers ended whole, and Good those within the
	// targets of their class and tenant.
	Completed, Good int64
	// Delayed counts those that the admission keeps waiting now. InFlight counts
	// those that were admitted and have not ended, the router's queue included, and
	// InFlightTokens the tokens of their prompts.
	Delayed, InFlight int
	InFlightTokens    int64

	arrivals, admissions, rejections Window
}

func newFlow(window time.Duration) Flow {
	w := NewWindow(window)
	return Flow{arrivals: w, admissions: w, rejections: w}
}

// ArrivalRate returns the requests that arrived per second over the window.
func (f *Flow) ArrivalRate(now simtime.Time) float64 { return f.arrivals.Rate(now) }

// AdmissionRate returns the requests that were admitted per second over the window.
func (f *Flow) AdmissionRate(now simtime.Time) float64 { return f.admissions.Rate(now) }

// RejectionRate returns the requests that were rejected per second over the window.
func (f *Flow) RejectionRate(now simtime.Time) float64 { return f.rejections.Rate(now) }

// Arrive counts a request that reaches the gateway.
func (t *Traffic) Arrive(now simtime.Time, request *Request) {
	t.each(request, func(f *Flow) {
		f.Arrived++
		f.arrivals.Add(now, 1)
	})
}

// Delay counts a request that the admission makes wait, or one whose wait ends: by is
// 1 or -1.
func (t *Traffic) Delay(request *Request, by int) {
	t.each(request, func(f *Flow) { f.Delayed += by })
}

// Admit counts a request that enters.
func (t *Traffic) Admit(now simtime.Time, request *Request) {
	t.each(request, func(f *Flow) {
		f.Admitted++
		f.InFlight++
		f.InFlightTokens += int64(request.Tokens)
		f.admissions.Add(now, 1)
	})
}

// Reject counts a request that is turned away.
func (t *Traffic) Reject(now simtime.Time, request *Request) {
	t.each(request, func(f *Flow) {
		f.Rejected++
		f.rejections.Add(now, 1)
	})
}

// Complete counts a request whose answer ends whole; good says that it met its targets.
func (t *Traffic) Complete(request *Request, good bool) {
	t.each(request, func(f *Flow) {
		f.Completed++
		if good {
			f.Good++
		}
	})
}

// End counts the end of a request that was admitted, whichever way it ends.
func (t *Traffic) End(request *Request) {
	t.each(request, func(f *Flow) {
		f.InFlight--
		f.InFlightTokens -= int64(request.Tokens)
	})
}

// each calls do for all flows that a request belongs to.
func (t *Traffic) each(request *Request, do func(*Flow)) {
	if t.parts != nil {
		t = t.parts[request.Router]
	}
	if t == nil {
		return // no policy of the router asks
	}
	do(&t.All)
	do(&t.Tenants[request.Tenant])
	do(&t.Classes[request.Class])
}
