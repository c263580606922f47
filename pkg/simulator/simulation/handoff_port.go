// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// port is a replica's end of hand-overs.
type port struct {
	egress, ingress transfer.StationID
	// jobs counts the prefill jobs in its batch.
	jobs int32
	// leaving are the jobs that have computed their prompts, whose blocks stay until they
	// have been handed over; in no order.
	leaving []int32
	// pending counts the hand-overs that are under way to here, and held are the prefill
	// jobs of those that wait until one ends, in the order in which they came. Both are
	// kept only where something bounds the hand-overs.
	pending int
	held    []int32
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

// holdsJob keeps a prefill job at the door while as many hand-overs as may be are under
// way to the replica that is to decode.
func (c *cluster) holdsJob(id int32) bool {
	q := &c.requests.All[id]
	if !q.Job || c.handoff.MaxPending == 0 {
		return false
	}
	h := c.handoffs.of(q)
	to := &c.replicas[h.to].port
	if h.counted {
		return false
	}
	if to.pending == c.handoff.MaxPending {
		q.MoveTo(request.Held)
		to.held = append(to.held, id)
		return true
	}
	h.counted = true
	to.pending++
	return false
}

// endPending notes that a hand-over to a replica is over, and lets the first job in that
// waits for its place.
func (c *cluster) endPending(to *port) {
	to.pending--
	if len(to.held) == 0 {
		return
	}
	id := to.held[0]
	to.held = to.held[1:]
	c.replicas[c.requests.All[id].Replica].enter(id)
}
