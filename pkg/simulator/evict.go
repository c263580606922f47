// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// evictRequested ends the requests that the router wants ended now.
func (s *simulation) evictRequested() {
	evictor := s.policies.Routing.Evictor
	if evictor == nil {
		return
	}
	now := s.now
	for {
		number, ok := evictor.Evict(now)
		if !ok {
			return
		}
		s.evict(number)
		s.now = now
	}
}

// evict ends a request that was sent to an endpoint. The gateway answers it, and
// the engine gives its place and blocks up at once. A step that it runs in lasts
// as long as it was going to, and what it computes of the request is for nobody:
// as engines look at aborts between steps, nobody else gets the place and the
// blocks before that ends. Only scrapes show it sooner.
func (s *simulation) evict(number int) {
	id := s.requestSent(number)
	q := &s.requests.all[id]
	if q.phase != phaseLeaving {
		r := &s.replicas[q.replica]
		if q.inStep {
			r.stepWithout(q, id)
		}
		s.takeOffReplicas(nil, id)
	}
	s.cancelDeliveries(q)
	s.metrics.evicted(s.now, q)
	if s.onEvicted != nil {
		s.onEvicted(number)
	}
	if s.policies.Routing.Responses != nil {
		s.policies.Routing.Responses.Finished(&q.info, int(q.replica))
	}
	s.end(id, s.now, endEvicted)
}

// requestSent finds a request by its number that an endpoint has.
func (s *simulation) requestSent(number int) int32 {
	id, ok := s.held.sent[number]
	if ok && s.requests.all[id].phase != phaseGateway {
		return id
	}
	panic(fmt.Sprintf("simulator: the router ends request %d at %v, which no endpoint has", number, s.now))
}

// stepWithout takes a request out of step, be it in the middle of one.
func (r *replica) stepWithout(q *request, id int32) {
	r.leaveStep(q)
	r.batch.forget(id)
}

// forget takes a request out of the order of ends.
func (b *batch) forget(id int32) {
	all := b.done
	b.done = all[:0]
	for _, f := range all {
		if f.id != id {
			b.done = append(b.done, f)
			siftUp(b.done)
		}
	}
}

// cancelDeliveries lets nothing more of an answer reach the gateway: what is on its
// way is dropped when it comes.
func (s *simulation) cancelDeliveries(q *request) {
	if q.phase == phaseLeaving {
		s.finishBy, s.finishStale = s.now, true
		return
	}
	s.finishBy = max(s.finishBy, s.now)
}

// streamsEnd is when the streams of all requests have ended whose tokens the engines
// have given.
func (s *simulation) streamsEnd() simtime.Time {
	if s.finishStale {
		s.finishStale = false
		for _, d := range s.deliveries {
			if d.ends && d.counts(s) {
				s.finishBy = max(s.finishBy, d.at)
			}
		}
	}
	return s.finishBy
}
