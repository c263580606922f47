// SPDX-License-Identifier: Apache-2.0

package simulator

import "windtunnel.dev/windtunnel/pkg/kv/transfer"

// port is a replica's end of hand-overs.
type port struct {
	egress, ingress transfer.StationID
	// jobs counts the prefill jobs in its batch, held are those that wait at its
	// door until another replica has caught up.
	jobs int32
	held []int32
	// pending counts the hand-overs that have asked for room here and are not
	// ready.
	pending int32
	// loading counts the requests whose content is on its way here, from
	// elsewhere or from lower tiers.
	loading int32
	// transfers counts those under way from and to the replica.
	transfers int
}

// holdsJob keeps a prefill job at the door while too much waits for the replica
// that is to decode.
func (s *simulation) holdsJob(r *replica, id int32) bool {
	q := &s.requests.all[id]
	if !q.job || !s.isFull(q) {
		return false
	}
	q.moveTo(phaseHeld)
	r.port.held = append(r.port.held, id)
	return true
}

// isFull says whether too much waits for the replica that is to decode.
func (s *simulation) isFull(job *request) bool {
	to := s.handoffs.of(job).to
	return s.handoff.MaxPending > 0 && int(s.replicas[to].port.pending) >= s.handoff.MaxPending
}

// endPending notes that a hand-over no longer waits for a replica, and lets those
// in that were held for it.
func (s *simulation) endPending(r *replica) {
	r.port.pending--
	if s.handoff.MaxPending == 0 {
		return
	}
	for i := range s.replicas {
		p := &s.replicas[i]
		held := p.port.held
		p.port.held = held[:0]
		for _, id := range held {
			if s.isFull(&s.requests.all[id]) {
				p.port.held = append(p.port.held, id)
				continue
			}
			s.enter(p, id)
		}
	}
}
