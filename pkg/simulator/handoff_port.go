// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/kv/transfer"
)

// port is a replica's end of hand-overs.
type port struct {
	egress, ingress transfer.StationID
	// jobs counts the prefill jobs in its batch, held are those that wait at its
	// door until another replica has caught up.
	jobs int32
	held []int32
	// leaving are the jobs that have computed their prompts, whose blocks stay until they
	// have been handed over; in no order.
	leaving []int32
	// pending counts the hand-overs that have asked for room here and are not
	// ready.
	pending int32
	// loading counts the requests whose content is on its way here, from
	// elsewhere or from lower tiers.
	loading int32
	// holding counts the requests that wait here with blocks, whose content has come.
	holding int32
	// transfers counts those under way from and to the replica.
	transfers int
}

// left notes that a job has given its blocks up.
func (p *port) left(job int32) {
	last := len(p.leaving) - 1
	p.leaving[slices.Index(p.leaving, job)] = p.leaving[last]
	p.leaving = p.leaving[:last]
}

// holdsJob keeps a prefill job at the door while too much waits for the replica
// that is to decode.
func (c *cluster) holdsJob(r *replica, id int32) bool {
	q := &c.requests.all[id]
	if !q.job || !c.isFull(q) {
		return false
	}
	q.moveTo(phaseHeld)
	r.port.held = append(r.port.held, id)
	return true
}

// isFull says whether too much waits for the replica that is to decode.
func (c *cluster) isFull(job *request) bool {
	to := c.handoffs.of(job).to
	return c.handoff.MaxPending > 0 && int(c.replicas[to].port.pending) >= c.handoff.MaxPending
}

// endPending notes that a hand-over no longer waits for a replica, and lets those
// in that were held for it.
func (c *cluster) endPending(r *replica) {
	r.port.pending--
	if c.handoff.MaxPending == 0 {
		return
	}
	for i := range c.replicas {
		p := &c.replicas[i]
		held := p.port.held
		p.port.held = held[:0]
		for _, id := range held {
			if c.isFull(&c.requests.all[id]) {
				p.port.held = append(p.port.held, id)
				continue
			}
			p.enter(id)
		}
	}
}
