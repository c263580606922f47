// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"errors"
	"fmt"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// gatewayQueue is where requests wait that the router keeps back.
type gatewayQueue struct {
	queue    policy.Queue  // nil where the router holds none
	requests map[int]int32 // the requests by their numbers
	// sent are the requests that replicas have, by their numbers; nil where no
	// policy evicts any.
	sent map[int]int32
	// wakeUp is when the router is to be asked to release some; Never while it
	// keeps none.
	wakeUp clusterEvent
}

func newGatewayQueue(r *policy.Routing) gatewayQueue {
	g := gatewayQueue{queue: r.Queue}
	if r.Queue != nil {
		g.requests = map[int]int32{}
	}
	if r.Evictor != nil {
		g.sent = map[int]int32{}
	}
	return g
}

// note remembers a request that goes to a replica for the first time.
func (g *gatewayQueue) note(id int32, q *request) {
	if g.sent != nil {
		g.sent[q.info.ID] = id
	}
}

// isHeld says whether the router's answer is that it keeps the request.
func (s *simulation) isHeld(err error) bool {
	return s.held.queue != nil && errors.Is(err, policy.ErrHeld)
}

// hold lets a request wait at the gateway. It is in flight, and at no replica.
func (s *simulation) hold(id int32) {
	q := &s.requests.all[id]
	q.moveTo(phaseGateway)
	s.held.requests[q.info.ID] = id
	s.serving++
	if !q.accepted {
		s.inFlight++
	}
}

// release lets those go that the router has kept back and lets go now.
func (s *simulation) release() {
	g := &s.held
	if g.queue == nil {
		return
	}
	now := s.now
	for {
		s.view.Now = now
		released, ok := g.queue.Release(&s.view)
		s.view.Changed = s.changed[:0]
		if !ok {
			break
		}
		s.sendReleased(released)
		s.now = now
	}
	if len(g.requests) == 0 {
		s.events.move(&g.wakeUp, simtime.Never)
		return
	}
	at, ok := g.queue.Wake(now)
	if !ok || at <= now {
		panic(fmt.Sprintf("simulator: the router keeps %d requests at %v and wakes at %v (%t)", len(g.requests), now, at, ok))
	}
	s.events.move(&g.wakeUp, at)
}

// sendReleased sends a request on its way that the router has kept back, or ends it.
func (s *simulation) sendReleased(released policy.Released) {
	id, ok := s.held.requests[released.Request]
	if !ok {
		panic(fmt.Sprintf("simulator: the router releases request %d at %v, which it does not keep", released.Request, s.now))
	}
	delete(s.held.requests, released.Request)
	q := &s.requests.all[id]
	q.moveTo(phaseNone)
	s.serving--
	to, err := s.checkDecision(released.Request, released.Decision, released.Err)
	if q.accepted {
		s.forwardAgain(id, to, err)
		return
	}
	s.inFlight--
	s.forward(id, to, err)
}

// recordGatewayQueueing records how long the router kept a request back that goes to a
// replica now.
func (s *simulation) recordGatewayQueueing(q *request) {
	if s.held.queue != nil {
		s.metrics.kept(s.now, q)
	}
}
