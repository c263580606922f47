// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// port is a replica's end of hand-overs.
type port struct {
	egress, ingress transfer.StationID
	// Jobs counts the prefill jobs in its batch.
	Jobs int32
	// Leaving are the jobs that have computed their prompts, whose blocks stay until they
	// have been handed over; in no order.
	Leaving []int32
	// Pending counts the hand-overs that are under way to here, and held are the prefill
	// jobs of those that wait until one ends, in the order in which they came. Both are
	// kept only where something bounds the hand-overs.
	Pending int
	Held    []int32
	// Loading counts the requests whose content is on its way here, from
	// elsewhere or from lower tiers.
	Loading int32
	// Holding counts the requests that wait here with blocks, whose content has come.
	Holding int32
	// transfers counts those under way from and to the replica.
	transfers int
}

// left notes that a job has given its blocks up.
func (p *port) left(job int32) {
	last := len(p.Leaving) - 1
	p.Leaving[slices.Index(p.Leaving, job)] = p.Leaving[last]
	p.Leaving = p.Leaving[:last]
}

// holdsJob keeps a prefill job at the door while as many hand-overs as may be are under
// way to the replica that is to decode.
func (c *Cluster) holdsJob(id int32) bool {
	q := &c.Requests.All[id]
	if !q.Job || c.Handoff.MaxPending == 0 {
		return false
	}
	h := c.Handoffs.Of(q)
	to := &c.Replicas[h.to].Port
	if h.counted {
		return false
	}
	if to.Pending == c.Handoff.MaxPending {
		q.MoveTo(request.Held)
		to.Held = append(to.Held, id)
		return true
	}
	h.counted = true
	to.Pending++
	return false
}

// endPending notes that a hand-over to a replica is over, and lets the first job in that
// waits for its place.
func (c *Cluster) endPending(to *port) {
	to.Pending--
	if len(to.Held) == 0 {
		return
	}
	id := to.Held[0]
	to.Held = to.Held[1:]
	c.Replicas[c.Requests.All[id].Replica].enter(id)
}
