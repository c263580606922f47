// SPDX-License-Identifier: Apache-2.0

package simulator

import "windtunnel.dev/windtunnel/pkg/simtime"

// delivery is something of an answer that reaches the gateway at a time: its
// first token, or its end, whose last token came at another time. What arrives
// in one nanosecond is told in order of the requests' numbers.
type delivery struct {
	at, last simtime.Time
	number   int
	id       int32
	endpoint int32
	ends     bool
}

func (d delivery) before(e delivery) bool {
	switch {
	case d.at != e.at:
		return d.at < e.at
	case d.number != e.number:
		return d.number < e.number
	default:
		return !d.ends && e.ends
	}
}

// counts says whether the request is still there: its slot may be another's by now.
func (d delivery) counts(s *simulation) bool {
	q := &s.requests.all[d.id]
	return q.phase != phaseNone && q.info.ID == d.number
}

// deliveries is a binary heap with the earliest delivery in front.
type deliveries []delivery

func (h *deliveries) push(d delivery) {
	*h = append(*h, d)
	siftUp(*h)
}

func (h *deliveries) pop() delivery {
	first := (*h)[0]
	last := len(*h) - 1
	(*h)[0] = (*h)[last]
	*h = (*h)[:last]
	siftDown(*h)
	return first
}

// deliverFirstToken lets the first token that an endpoint gives of an answer reach
// the gateway.
func (s *simulation) deliverFirstToken(id int32, q *request, at simtime.Time) {
	if s.policies.Routing.Responses != nil {
		s.deliveries.push(delivery{at: at, number: q.info.ID, id: id, endpoint: q.replica})
	}
}

// deliverEnd lets the last token of an answer reach the gateway.
func (s *simulation) deliverEnd(r *replica, id int32, q *request) {
	last := r.atGateway(s.now, q)
	at := last.Add(r.cost.Completion)
	s.finishBy = max(s.finishBy, at)
	if s.policies.Routing.Responses == nil && s.listener == nil && at == s.now {
		s.finish(id, last, at)
		return
	}
	s.deliveries.push(delivery{at: at, number: q.info.ID, id: id, last: last, ends: true})
}

// deliver lets everything reach the gateway that does so before a time.
func (s *simulation) deliver(until simtime.Time) {
	for len(s.deliveries) > 0 && s.deliveries[0].at < until {
		d := s.deliveries.pop()
		if !d.counts(s) {
			continue
		}
		q := &s.requests.all[d.id]
		switch {
		case d.ends:
			if s.policies.Routing.Usage != nil {
				s.policies.Routing.Usage.Used(d.at, &q.info, int(q.generated()))
			}
			if s.policies.Routing.Responses != nil {
				s.policies.Routing.Responses.Finished(&q.info, int(q.replica))
			}
			s.finish(d.id, d.last, d.at)
		default:
			s.policies.Routing.Responses.FirstToken(&q.info, int(d.endpoint))
		}
	}
}

// finish ends a request whose last token reached the gateway, and whose stream
// was closed there at another time.
func (s *simulation) finish(id int32, last, at simtime.Time) {
	q := &s.requests.all[id]
	s.metrics.completed(last, at, q)
	if s.onCompleted != nil {
		s.onCompleted(q.completion(last))
	}
	if s.onEnded != nil {
		e := s.endOf(q, at, endCompleted)
		e.LastToken, e.OutputTokens = last, int(q.generated())
		s.onEnded(e)
	}
	s.end(id, at, endCompleted)
}

// end frees the slot of a request that has ended.
func (s *simulation) end(id int32, at simtime.Time, how ending) {
	for _, o := range s.observers {
		o.ended(s, id, at, how)
	}
	if s.onEnded != nil && how != endCompleted {
		s.onEnded(s.endOf(&s.requests.all[id], at, how))
	}
	if how != endUnfinished {
		s.hear(s.requests.all[id].info.ID, at, how.heardAs())
	}
	s.lastEnd = max(s.lastEnd, at)
	s.inFlight--
	if s.held.sent != nil {
		delete(s.held.sent, s.requests.all[id].info.ID)
	}
	s.requests.release(id)
}
