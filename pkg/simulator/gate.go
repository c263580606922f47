// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"errors"
	"fmt"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// gate is where requests wait that the router keeps back.
type gate struct {
	queue policy.Queue  // nil where the router holds none
	held  map[int]int32 // the requests by their numbers
	// sent are the requests that replicas have, by their numbers; nil where no
	// policy evicts any.
	sent map[int]int32
	// wakeUp is when the router is to be asked to release some; Never while it
	// keeps none.
	wakeUp clusterEvent
}

func newGate(r *policy.Routing) gate {
	g := gate{queue: r.Queue}
	if r.Queue != nil {
		g.held = map[int]int32{}
	}
	if r.Evictor != nil {
		g.sent = map[int]int32{}
	}
	return g
}

// note remembers a request that goes to a replica for the first time.
func (g *gate) note(id int32, q *request) {
	if g.sent != nil {
		g.sent[q.info.ID] = id
	}
}

// keeps says whether the router's answer is that it keeps the request.
func (s *simulation) keeps(err error) bool {
	return s.gate.queue != nil && errors.Is(err, policy.ErrHeld)
}

// retain lets a request wait at the gateway. It is in flight, and at no replica.
func (s *simulation) retain(id int32) {
	q := &s.requests.all[id]
	q.moveTo(phaseGateway)
	s.gate.held[q.info.ID] = id
	s.serving++
	if !q.accepted {
		s.inFlight++
	}
}

// release lets those go that the router has kept back and lets go now.
func (s *simulation) release() {
	g := &s.gate
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
		s.letGo(released)
		s.now = now
	}
	if len(g.held) == 0 {
		s.events.move(&g.wakeUp, simtime.Never)
		return
	}
	at, ok := g.queue.Wake(now)
	if !ok || at <= now {
		panic(fmt.Sprintf("simulator: the router keeps %d requests at %v and wakes at %v (%t)", len(g.held), now, at, ok))
	}
	s.events.move(&g.wakeUp, at)
}

// letGo sends a request on its way that the router has kept back, or ends it.
func (s *simulation) letGo(released policy.Released) {
	id, ok := s.gate.held[released.Request]
	if !ok {
		panic(fmt.Sprintf("simulator: the router releases request %d at %v, which it does not keep", released.Request, s.now))
	}
	delete(s.gate.held, released.Request)
	q := &s.requests.all[id]
	q.moveTo(phaseNone)
	s.serving--
	to, err := s.checked(released.Request, released.Decision, released.Err)
	if q.accepted {
		s.forwardAgain(id, to, err)
		return
	}
	s.inFlight--
	s.forward(id, to, err)
}

// noteWait records how long the router kept a request back that goes to a
// replica now.
func (s *simulation) noteWait(q *request) {
	if s.gate.queue != nil {
		s.metrics.kept(s.now, q)
	}
}
