// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// startTimeOuts notes when a client gives up a request that is in flight: once for the
// first token, and once for the last one.
func (p *plain) startTimeOuts(q *plainRequest, w *workload.Request) {
	q.timeout = w.Timeout
	for _, after := range []time.Duration{w.FirstTokenTimeout, w.Timeout} {
		if after > 0 && slices.Contains(p.flying, q) {
			p.schedule(plainEvent{at: w.Arrival.Add(after), kind: plainTimeOut, number: w.ID, request: q})
		}
	}
}

// dropTimeOuts forgets those of requests that have ended.
func (p *plain) dropTimeOuts() {
	p.events = slices.DeleteFunc(p.events, func(e plainEvent) bool {
		return e.kind == plainTimeOut && !slices.Contains(p.flying, e.request)
	})
}

// timeOut ends a request, unless its client waited for the first token only and has it.
func (p *plain) timeOut(q *plainRequest) {
	last := q.timeout > 0 && p.now >= q.Info.Arrival.Add(q.timeout)
	if q.FirstToken != request.Unset && q.FirstToken < p.now && !last {
		return
	}
	switch {
	case slices.Contains(p.delayed, q):
		p.undelay(q)
	case slices.Contains(p.waiting, q):
		p.waiting = without(p.waiting, q)
		p.Policies.Routing.Queue.Cancel(p.now, &q.Info)
	default:
		if !q.leaving {
			p.takeOff(q)
		}
		p.tellFinished(q, int(q.Replica))
	}
	p.uncount(q)
	p.events = slices.DeleteFunc(p.events, func(e plainEvent) bool { return e.kind == plainDelivery && e.request == q })
	if !q.accepted {
		q.Cell = p.metrics.Arrived(p.now, simulator.NoPool, &q.Request)
	}
	p.metrics.Touch(p.now, q.Cell).TimedOut++
	p.metrics.End(p.now, &q.Request, simulator.SeriesTimedOut)
	p.note(q, func(rec *record) { rec.end = "timedout" })
	p.hear(q, workload.TimedOut)
	if slices.Contains(p.flying, q) {
		p.forget(q)
	}
	p.release()
	p.revoke()
}

// randomTimeOuts makes some clients impatient.
func randomTimeOuts(c *choices, config *simulator.Config) {
	scatterOf(config).patience = simtime.Time(1 + c.pick(200))
}

// timeOutsOf draws when the client of a request gives up.
func timeOutsOf(c *choices, patience simtime.Time, r *workload.Request) {
	if patience == 0 {
		return
	}
	of := func() time.Duration { return time.Duration(c.pick(2)) * time.Duration(1+c.pick(int(patience))) }
	r.FirstTokenTimeout, r.Timeout = of(), of()
}
