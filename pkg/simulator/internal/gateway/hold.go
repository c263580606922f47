// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"errors"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/events"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// holds is where requests wait that the router keeps back.
type holds struct {
	Queue    policy.Queue  // nil where the router holds none
	Requests map[int]int32 // the requests by their numbers
	// sent are the requests that replicas have, by their numbers; nil where no
	// policy evicts any.
	sent map[int]int32
	// WakeUp is when the router is to be asked to release some; Never while it
	// keeps none.
	WakeUp events.Event
}

func newHolds(r *policy.Routing) holds {
	h := holds{Queue: r.Queue}
	if r.Queue != nil {
		h.Requests = map[int]int32{}
	}
	if r.Evictor != nil {
		h.sent = map[int]int32{}
	}
	return h
}

// note remembers a request that goes to a replica for the first time.
func (h *holds) note(id int32, q *request.Request) {
	if h.sent != nil {
		h.sent[q.Info.ID] = id
	}
}

// keeps says whether the router's answer is that it keeps the request.
func (h *holds) keeps(err error) bool {
	return h.Queue != nil && errors.Is(err, policy.ErrHeld)
}
