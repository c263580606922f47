// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// revoke ends whom the router wants ended.
func (p *plain) revoke() {
	for p.Policies.Routing.Evictor != nil {
		number, ok := p.Policies.Routing.Evictor.Evict(p.now)
		if !ok {
			return
		}
		for _, q := range slices.Clone(p.flying) {
			if q.Info.ID == number {
				p.turnOut(q)
			}
		}
	}
}

// turnOut takes a request off whatever it is in, as if its endpoint had never
// heard of it. What is to come of its answer does not.
func (p *plain) turnOut(q *plainRequest) {
	if !q.leaving {
		p.takeOff(q)
	}
	p.events = slices.DeleteFunc(p.events, func(e plainEvent) bool { return e.kind == plainDelivery && e.request == q })
	cell := p.metrics.Touch(p.now, q.Cell)
	cell.Rejected++
	cell.RejectedBy[simulator.Evicted]++
	p.metrics.End(p.now, &q.Request, simulator.SeriesRejected)
	p.note(q, func(rec *record) { rec.end = "evicted" })
	p.hear(q, workload.Rejected)
	p.tellFinished(q, int(q.Replica))
	p.uncount(q)
	p.forget(q)
}
