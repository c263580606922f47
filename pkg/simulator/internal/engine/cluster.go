// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/network"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/run"
)

// Cluster is the replicas and what they share. Where they share nothing, only
// arrivals, scrapes and what happens above the replicas have an order among them; what
// happens inside a replica is made up for when it is read. Figures are sums,
// which no order changes. Replicas that share a network or a tier are advanced in the
// order of time.
type Cluster struct {
	*run.State
	shared
	// kvEvents hears what caches hold; nil where no router does.
	kvEvents policy.KVEventListener
	Replicas []Replica
	// fabric is what all replicas share; nil where each can be advanced on its own.
	fabric *network.Fabric
	// AwaitsEnd says that replicas are advanced up to the next end of a request only.
	AwaitsEnd bool
}

// AdvanceAll advances all replicas.
func (c *Cluster) AdvanceAll(until simtime.Time) {
	if c.order != nil {
		c.AdvanceInOrder(until)
		return
	}
	for g, at := range c.soonest {
		if at < until {
			c.advanceGroup(g, until)
		}
	}
}

// Next is when the next thing happens in a replica or on a network; Never if nothing does.
func (c *Cluster) Next() simtime.Time {
	next := simtime.Never
	for i := range c.Replicas {
		r := &c.Replicas[i]
		next = min(next, r.nextEvent().at)
		if r.Fabric != nil {
			next = min(next, r.Fabric.Due())
		}
	}
	return next
}

// dueGroup is how many neighbours have a common entry in soonest.
const dueGroup = 16

// advanceGroup advances a group of replicas, which share nothing.
func (c *Cluster) advanceGroup(g int, until simtime.Time) {
	soonest, first := simtime.Never, g*dueGroup
	due := c.due[first:min(first+dueGroup, len(c.due))]
	for i, at := range due {
		if at < until {
			r := &c.Replicas[first+i]
			r.Advance(until)
			at = r.due()
			due[i] = at
		}
		soonest = min(soonest, at)
	}
	c.soonest[g] = soonest
}

// Misses says that some replica would not be advanced in time for its next event.
func (c *Cluster) Misses() bool {
	for i, at := range c.due {
		if c.order == nil && (c.Replicas[i].due() < at || at < c.soonest[i/dueGroup]) {
			return true
		}
	}
	return false
}

// AdvanceInOrder brings all replicas up to a time, event by event.
func (c *Cluster) AdvanceInOrder(until simtime.Time) {
	for !c.Stopped {
		if c.Draining && c.Serving == 0 {
			until = min(until, c.DrainBound)
		}
		first := c.order.first()
		transfer := replicaEvent{at: c.fabric.Due(), kind: transferEnds}
		switch {
		case !c.AwaitsEnd:
		case c.Gateway.Heard():
			return
		case c.Gateway.DeliverNext(min(first.at, transfer.at), until):
			continue
		}
		if transfer.Before(first) {
			if transfer.at >= until {
				return
			}
			c.Now = transfer.at
			c.fabric.Land(transfer.at)
			continue
		}
		if first.at >= until {
			return
		}
		c.applyReplicaEvent(&c.Replicas[first.replica], first, min(until, transfer.at, c.Gateway.NextDelivery()))
	}
}

// applyReplicaEvent lets a replica's next event happen, and those after it that give its
// batch one token after the other, up to a time or to what happens to another
// replica.
func (c *Cluster) applyReplicaEvent(r *Replica, event replicaEvent, until simtime.Time) {
	if event.kind == entryDue {
		c.Now = event.at
		r.Enter(r.entries.Pop())
		r.reorder()
		return
	}
	if r.LockStep != nil {
		c.Now = event.at
		r.LockStep.nextStep()
		return
	}
	if len(c.Observers) == 0 && r.decodesOnly() {
		c.order.set(r.Index, replicaEvent{at: simtime.Never})
		until = min(until, c.order.first().at)
		if at, _, ok := r.entries.Next(); ok {
			until = min(until, at)
		}
		r.fastForward(until)
	}
	if r.Next == event.at {
		r.nextStep()
	}
	r.reorder()
}

// RanksOf are the ranks of the replica of an endpoint: the endpoint alone where there is
// no data parallelism.
func (c *Cluster) RanksOf(endpoint int) []Replica {
	first := endpoint - c.Replicas[endpoint].Rank
	return c.Replicas[first : first+c.Replicas[first].Config.RanksPerReplica()]
}

// Dependents lists the requests that need a replica to go on.
func (c *Cluster) Dependents(r *Replica) []int32 {
	var ids []int32
	for i := range c.Requests.All {
		q := &c.Requests.All[i]
		if !q.Phase().AtReplica() || q.Job {
			continue
		}
		from := q.Replica
		if q.Handoff != 0 {
			from, _ = c.Handoffs.Source(q)
		}
		if q.Replica == r.Index || from == r.Index {
			ids = append(ids, int32(i))
		}
	}
	c.SortByArrival(ids)
	return ids
}

// SortByArrival sorts requests by the order of their arrival.
func (c *Cluster) SortByArrival(ids []int32) {
	slices.SortFunc(ids, func(a, b int32) int { return c.Requests.All[a].Info.ID - c.Requests.All[b].Info.ID })
}

// TakeOffReplicas takes a request off everything that it is part of, as a replica has
// failed; nil if none has.
func (c *Cluster) TakeOffReplicas(failed *Replica, id int32) {
	q := &c.Requests.All[id]
	if q.InStep() {
		c.Replicas[q.Replica].Batch.leaveEarly(q, id)
	}
	if q.Phase() != request.Loading {
		q.High = max(q.High, q.Computed)
	}
	if q.Handoff != 0 {
		at, job := c.Handoffs.Source(q)
		if from := &c.Replicas[at]; c.Requests.All[job].Phase() != request.Leaving {
			from.countJob(&c.Requests.All[job], -1)
			from.remove(job, from == failed)
		}
		c.Handoffs.Cancel(q)
	}
	c.Replicas[q.Replica].CountServing(q, -1)
	c.Replicas[q.Replica].remove(id, &c.Replicas[q.Replica] == failed)
	q.Computed, q.Chunk, q.Loads = 0, 0, 0
}

// Stop takes all requests off a replica that is there no more, and returns them in order
// of arrival.
func (c *Cluster) Stop(r *Replica) []int32 {
	lost := c.Dependents(r)
	if len(r.Batch.Running) > 0 {
		r.Batch.leaveAll()
	}
	for _, id := range lost {
		c.TakeOffReplicas(r, id)
	}
	r.reset()
	return lost
}

// Excused says whether a replica may idle though requests wait: they wait for
// blocks that are being copied or handed over, for an adapter that is being
// loaded, or for another replica.
func (c *Cluster) Excused(r *Replica) bool {
	if r.Loading > 0 || r.Adapters.loading(c.Now) {
		return true
	}
	if r.Tiers != nil && r.Tiers.Frees() {
		return true
	}
	for i := range c.Requests.All {
		if j := &c.Requests.All[i]; j.Job && j.Replica == r.Index && j.Phase() == request.Leaving {
			return true
		}
	}
	return false
}
