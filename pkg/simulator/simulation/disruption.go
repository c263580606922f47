// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/queue"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// advanceToEvent brings all that routing depends on up to what happens between
// arrivals. Where replicas need not be advanced for that, all says whether they
// are.
func (s *simulation) advanceToEvent(at simtime.Time, all bool) {
	switch {
	case s.cluster.draining:
		s.scrapeWhileServing(at)
		s.gateway.deliver(s.advanceServing(at))
	case all:
		s.gateway.scrapeUntil(at)
		s.cluster.advanceAll(at)
		s.gateway.deliver(at)
	default:
		s.gateway.scrapeUntil(at)
		s.gateway.deliver(at)
	}
	s.now = at
}

// applyDisruption applies a disruption, now, to all ranks of a replica. After the
// nanosecond in which the last request ends, it changes nothing but lifetimes.
func (s *simulation) applyDisruption(d simulator.Disruption) {
	ranks := s.cluster.ranksOf(d.Endpoint)
	for i := range ranks {
		switch d.Kind {
		case simulator.Fail:
			ranks[i].lifetimes.End(d.At)
		case simulator.Recover:
			ranks[i].lifetimes.Begin(d.At)
		}
	}
	if s.cluster.draining && s.gateway.inFlight == 0 && d.At > max(s.arrivalsEnd, s.gateway.lastEnd) {
		return
	}
	for i := range ranks {
		s.gateway.setDown(int(ranks[i].index), d.Kind != simulator.Recover)
	}
	if d.Kind != simulator.Fail {
		return
	}
	s.fail(ranks)
	for _, o := range s.observers {
		o.settled(s, nil)
	}
}

// ranksOf are the ranks of the replica of an endpoint: the endpoint alone where there is
// no data parallelism.
func (c *cluster) ranksOf(endpoint int) []replica {
	first := endpoint - c.replicas[endpoint].rank
	return c.replicas[first : first+c.replicas[first].config.RanksPerReplica()]
}

// fail ends the ranks of a replica with all that they hold. Whoever depended on them is
// routed again, in order of arrival.
func (s *simulation) fail(ranks []replica) {
	var lost []int32
	for i := range ranks {
		lost = append(lost, s.stop(&ranks[i])...)
	}
	if len(ranks) > 1 {
		s.cluster.sortByArrival(lost)
	}
	for _, id := range lost {
		s.gateway.routeAgain(id)
	}
	s.gateway.evictRequested()
}

// stop takes all requests off a replica that is there no more, and returns them in order
// of arrival.
func (s *simulation) stop(r *replica) []int32 {
	lost := s.cluster.dependents(r)
	if len(r.batch.running) > 0 {
		r.takeAllOutOfStep()
	}
	for _, id := range lost {
		s.cluster.takeOffReplicas(r, id)
	}
	r.reset()
	return lost
}

// dependents lists the requests that need a replica to go on.
func (c *cluster) dependents(r *replica) []int32 {
	var ids []int32
	for i := range c.requests.All {
		q := &c.requests.All[i]
		if !q.Phase().AtReplica() || q.Job {
			continue
		}
		if q.Replica == r.index || q.Handoff != 0 && c.handoffs.of(q).from == r.index {
			ids = append(ids, int32(i))
		}
	}
	c.sortByArrival(ids)
	return ids
}

func (c *cluster) sortByArrival(ids []int32) {
	slices.SortFunc(ids, func(a, b int32) int { return c.requests.All[a].Info.ID - c.requests.All[b].Info.ID })
}

// takeOffReplicas takes a request off everything that it is part of, as a replica has
// failed; nil if none has.
func (c *cluster) takeOffReplicas(failed *replica, id int32) {
	q := &c.requests.All[id]
	if q.Phase() != request.Loading {
		q.High = max(q.High, q.Computed)
	}
	if q.Handoff != 0 {
		h := c.handoffs.of(q)
		if from := &c.replicas[h.from]; c.requests.All[h.job].Phase() != request.Leaving {
			from.remove(h.job, from == failed)
		}
		c.cancelHandoff(h)
	}
	c.replicas[q.Replica].countServing(-1)
	c.replicas[q.Replica].remove(id, &c.replicas[q.Replica] == failed)
	q.Incomplete, q.Computed, q.Chunk, q.Loads = false, 0, 0, 0
	q.Exported = false
}

// remove takes a request or a job off a replica. Where that has failed its
// blocks go with the cache.
func (r *replica) remove(id int32, failed bool) {
	r.settleGauges()
	q := &r.requests.All[id]
	holds := q.Phase() == request.Ready
	switch q.Phase() {
	case request.Entering:
		r.entries.Remove(queue.Entry{At: q.EntryAt, Number: q.Info.ID, Id: id})
		r.cluster.reorder(r)
	case request.Waiting, request.Ready:
		r.waiting.Remove(r.ticket(id))
		r.watch.leaves(q, id)
		r.left(q, true)
		if holds {
			r.port.holding--
		}
		switch {
		case !failed && r.waiting.Len() > 0:
			r.wake()
		case !r.stepping && r.next > r.now && r.next < simtime.Never:
			// It would wake when an adapter is loaded that nobody asks for now.
			r.next = simtime.Never
			r.cluster.reorder(r)
		}
	case request.Held:
		to := &r.cluster.replicas[r.cluster.handoffs.of(q).to].port
		to.held = slices.DeleteFunc(to.held, func(other int32) bool { return other == id })
	case request.Loading:
		holds = true
		r.port.loading--
		r.left(q, true)
		if !failed {
			r.cancelTransfers(func(d transferHandler) bool { l, ok := d.(*load); return ok && l.request == id })
		}
	case request.Running:
		holds = true
		r.batch.take(id)
		r.left(q, false)
		r.adapters.runs(q.Info.Adapter, -1)
		if q.Job {
			r.port.jobs--
		}
	}
	q.MoveTo(request.None)
	if failed {
		q.Source = 0
	}
	if !holds || failed {
		return
	}
	used := r.cache.Used()
	if q.Source != 0 {
		r.tiers.cancelCopies(q)
	}
	r.cache.Release(q.Blocks)
	r.blocksReleased(used)
}

// take takes a request off a batch that may be in the middle of a step, whose
// duration stays.
func (b *batch) take(id int32) {
	b.remove(id)
	b.prefilling = slices.DeleteFunc(b.prefilling, func(other int32) bool { return other == id })
}

// reset makes a replica a new one, idle, at the same place.
func (r *replica) reset() {
	r.settleGauges()
	if r.stepping {
		r.use.Busy += r.now.Sub(max(r.stepStart, r.use.Since))
	}
	if r.fabric != nil {
		r.cancelTransfers(func(d transferHandler) bool { return d.of() == r.index })
	}
	r.use.Changed(r.now, r.cache.Used(), 0)
	r.use.Lost += r.cache.Evictions()
	r.empty()
	r.cacheEvents.restarted(r)
	if r.exports != nil {
		r.exports.restart()
	}
	r.advisor = r.advisor.again(r, r.now)
	if r.tiers != nil {
		r.tiers.empty(r.now)
	}
	r.lockStep.reset()
	r.cluster.reorder(r)
}

// cancelTransfers takes those transfers of a replica's fabric back for which drop is
// true, in order of ID.
func (r *replica) cancelTransfers(drop func(transferHandler) bool) {
	var ids []transfer.ID
	f := r.fabric
	for i, d := range f.handlers {
		if d != nil && drop(d) {
			d.cancel(r.sim)
			ids = append(ids, f.first+transfer.ID(i))
		}
	}
	for _, id := range ids {
		r.cluster.abort(f, id)
	}
}

// routeAgain asks the router where a request goes that has lost its replica. It
// keeps what it has given, and computes that again.
func (g *gateway) routeAgain(id int32) {
	q := &g.requests.All[id]
	if g.policies.Routing.Responses != nil {
		g.policies.Routing.Responses.Finished(&q.Info, int(q.Replica))
	}
	q.RoutedAt = g.now
	to, err := g.route(&q.Info)
	if g.isHeld(err) {
		g.hold(id)
	} else {
		g.forwardAgain(id, to, err)
	}
	g.release()
}

// forwardAgain sends a request on its way that has lost its replica.
func (g *gateway) forwardAgain(id int32, to policy.Decision, err error) {
	q := &g.requests.All[id]
	if q.Generated() > 0 {
		to.Prefill = policy.NoPrefill // the replica that decodes computes all again
	}
	if err == nil {
		if _, never := g.refuses(to, int64(q.Prompt), int64(q.Finish)); never {
			err = policy.ErrNoEndpoint
			if g.policies.Routing.Responses != nil {
				g.policies.Routing.Responses.Finished(&q.Info, to.Endpoint)
			}
		}
	}
	if err != nil {
		g.finishBy = max(g.finishBy, g.now)
		g.metrics.Failed(g.now, q)
		g.end(id, g.now, request.EndFailed)
		return
	}
	q.Replica, q.Moved, q.Remote, q.Charged, q.Believed = int32(to.Endpoint), true, 0, false, to.Believed
	q.Chain, q.Chained = q.Chain[:0], false
	g.metrics.Cells[q.Cell].Migrated++
	g.recordGatewayQueueing(q)
	g.cluster.replicas[to.Endpoint].countServing(+1)
	if to.Prefill != policy.NoPrefill && to.Prefill != to.Endpoint {
		g.cluster.handOver(id, to.Prefill, to.Endpoint)
		return
	}
	g.cluster.replicas[to.Endpoint].sendToQueue(id)
}
