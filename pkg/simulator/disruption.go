// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// advanceToEvent brings all that routing depends on up to what happens between
// arrivals. Where replicas need not be advanced for that, all says whether they
// are.
func (s *simulation) advanceToEvent(at simtime.Time, all bool) {
	switch {
	case s.draining:
		s.scrapeWhileServing(at)
		s.deliver(s.advanceServing(at))
	case all:
		s.scrapeUntil(at)
		s.advanceAll(at)
		s.deliver(at)
	default:
		s.scrapeUntil(at)
		s.deliver(at)
	}
	s.now = at
}

// applyDisruption applies a disruption, now. Once all requests have ended, it
// changes nothing but lifetimes.
func (s *simulation) applyDisruption(d Disruption) {
	r := &s.replicas[d.Endpoint]
	switch d.Kind {
	case Fail:
		r.lifetimes.end(d.At)
	case Recover:
		r.lifetimes.begin(d.At)
	}
	if s.draining && s.inFlight == 0 {
		return
	}
	s.setDown(d.Endpoint, d.Kind != Recover)
	if d.Kind == Fail {
		s.fail(r)
	}
}

// fail ends a replica with all that it holds. Whoever depended on it is routed
// again, in order of arrival.
func (s *simulation) fail(r *replica) {
	lost := s.dependents(r)
	if len(r.batch.running) > 0 {
		s.takeAllOutOfStep(r)
	}
	for _, id := range lost {
		s.takeOffReplicas(r, id)
	}
	s.reset(r)
	for _, id := range lost {
		s.routeAgain(id)
	}
	s.evictRequested()
	for _, o := range s.observers {
		o.settled(s, nil)
	}
}

// dependents lists the requests that need a replica to go on.
func (s *simulation) dependents(r *replica) []int32 {
	var ids []int32
	for i := range s.requests.all {
		q := &s.requests.all[i]
		if q.phase == phaseNone || q.phase == phaseGateway || q.phase == phaseLeaving || q.job {
			continue
		}
		if q.replica == r.index || q.handoff != 0 && s.handoffs.of(q).from == r.index {
			ids = append(ids, int32(i))
		}
	}
	slices.SortFunc(ids, func(a, b int32) int { return s.requests.all[a].info.ID - s.requests.all[b].info.ID })
	return ids
}

// takeOffReplicas takes a request off everything that it is part of, as a replica has
// failed; nil if none has.
func (s *simulation) takeOffReplicas(failed *replica, id int32) {
	q := &s.requests.all[id]
	if q.phase != phaseLoading {
		q.high = max(q.high, q.computed)
	}
	if q.handoff != 0 {
		h := s.handoffs.of(q)
		if from := &s.replicas[h.from]; s.requests.all[h.job].phase != phaseLeaving {
			s.remove(from, h.job, from == failed)
		}
		s.cancelHandoff(h)
	}
	s.countServing(&s.replicas[q.replica], -1)
	s.remove(&s.replicas[q.replica], id, &s.replicas[q.replica] == failed)
	q.holding, q.incomplete, q.computed, q.chunk, q.loads = false, false, 0, 0, 0
}

// remove takes a request or a job off a replica. Where that has failed its
// blocks go with the cache.
func (s *simulation) remove(r *replica, id int32, failed bool) {
	q := &s.requests.all[id]
	holds := q.holding
	switch q.phase {
	case phaseEntry:
		r.entries.remove(entry{at: q.entryAt, number: q.info.ID, id: id})
		s.reorder(r)
	case phaseWaiting:
		r.waiting.remove(q.turn)
		switch {
		case !failed && r.waiting.len() > 0:
			s.wake(r)
		case !r.stepping && r.next > s.now && r.next < simtime.Never:
			// It would wake when an adapter is loaded that nobody asks for now.
			r.next = simtime.Never
			s.reorder(r)
		}
	case phaseHeld:
		r.port.held = slices.DeleteFunc(r.port.held, func(other int32) bool { return other == id })
	case phaseLoading:
		holds = true
		r.port.loading--
		if !failed {
			s.cancelTransfers(r, func(d transferHandler) bool { l, ok := d.(*load); return ok && l.request == id })
		}
	case phaseRunning:
		holds = true
		r.batch.take(id)
		r.adapters.runs(q.info.Adapter, -1)
		if q.job {
			r.port.jobs--
		}
	}
	q.moveTo(phaseNone)
	if failed {
		q.source = 0
	}
	if !holds || failed {
		return
	}
	used := r.cache.Used()
	if q.source != 0 {
		s.cancelCopies(r, q)
	}
	r.cache.Release(q.blocks)
	s.blocksReleased(r, used)
}

// take takes a request off a batch that may be in the middle of a step, whose
// duration stays.
func (b *batch) take(id int32) {
	b.remove(id)
	b.prefilling = slices.DeleteFunc(b.prefilling, func(other int32) bool { return other == id })
}

// reset makes a replica a new one, idle, at the same place.
func (s *simulation) reset(r *replica) {
	if r.stepping {
		r.use.Busy += s.now.Sub(max(r.stepStart, r.use.since))
	}
	if r.fabric != nil {
		s.cancelTransfers(r, func(d transferHandler) bool { return d.of() == r.index })
	}
	r.use.changed(s.now, r.cache.Used(), 0)
	r.use.lost += r.cache.Evictions()
	r.empty()
	r.cacheEvents.restarted(r)
	r.advisor = r.advisor.again(r, s.now)
	if r.tiers != nil {
		r.tiers.empty(s, r, s.now)
	}
	s.reorder(r)
}

// cancelTransfers takes those transfers of a replica's fabric back for which drop is
// true, in order of ID.
func (s *simulation) cancelTransfers(r *replica, drop func(transferHandler) bool) {
	var ids []transfer.ID
	f := r.fabric
	for i, d := range f.handlers {
		if d != nil && drop(d) {
			d.cancel(s)
			ids = append(ids, f.first+transfer.ID(i))
		}
	}
	for _, id := range ids {
		s.abort(f, id)
	}
}

// routeAgain asks the router where a request goes that has lost its replica. It
// keeps what it has given, and computes that again.
func (s *simulation) routeAgain(id int32) {
	q := &s.requests.all[id]
	if s.policies.Routing.Responses != nil {
		s.policies.Routing.Responses.Finished(&q.info, int(q.replica))
	}
	q.routedAt = s.now
	to, err := s.route(&q.info)
	if s.isHeld(err) {
		s.hold(id)
	} else {
		s.forwardAgain(id, to, err)
	}
	s.release()
}

// forwardAgain sends a request on its way that has lost its replica.
func (s *simulation) forwardAgain(id int32, to policy.Decision, err error) {
	q := &s.requests.all[id]
	if err == nil {
		if _, never := s.refuses(to, int64(q.prompt), int64(q.finish)); never {
			err = policy.ErrNoEndpoint
			if s.policies.Routing.Responses != nil {
				s.policies.Routing.Responses.Finished(&q.info, to.Endpoint)
			}
		}
	}
	if err != nil {
		s.finishBy = max(s.finishBy, s.now)
		s.metrics.failed(s.now, q)
		s.end(id, s.now, endFailed)
		return
	}
	q.replica, q.moved, q.remote = int32(to.Endpoint), true, 0
	q.chain, q.chained = q.chain[:0], false
	s.metrics.cells[q.cell].Migrated++
	s.recordGatewayQueueing(q)
	s.countServing(&s.replicas[to.Endpoint], +1)
	if to.Prefill != policy.NoPrefill && to.Prefill != to.Endpoint && q.generated() == 0 {
		s.handOver(id, to.Prefill, to.Endpoint)
		return
	}
	s.sendToQueue(&s.replicas[to.Endpoint], id)
}
