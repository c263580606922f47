// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload/internal/due"
)

// reactor decides what a client sends in answer to ends: the next requests of the users of
// a closed loop, and the next turns of sessions that wait for their answers. A place is
// a user, or a session that arrivals began. It has several requests in flight where its
// session's turn has branches.
type reactor struct {
	*reactions                  // of the client, or of all copies
	of         int32            // the number of the client among them
	users      *users           // nil where arrivals begin sessions
	sessions   *awaitedSessions // nil where no turn waits
	free       []int32          // places whose sessions are over, where there are no users
	places     int32
}

// newReactor returns the reactor of a client; nil where nothing of it waits.
func newReactor(r *reactions, of int32, u *users, s *awaitedSessions) *reactor {
	if u == nil && s == nil {
		return nil
	}
	return &reactor{reactions: r, of: of, users: u, sessions: s}
}

// open returns a place for a session that an arrival begins.
func (r *reactor) open() int32 {
	if last := len(r.free) - 1; last >= 0 {
		place := r.free[last]
		r.free = r.free[:last]
		return place
	}
	r.places++
	return r.places - 1
}

// send makes a place send a number of requests at a time.
func (r *reactor) send(at simtime.Time, place int32, requests int) {
	for range requests {
		r.due.Push(due.Place{At: at, Of: r.of, Place: place})
	}
}

// answer makes a place send a number of requests in answer to an end, when its user has
// thought.
func (r *reactor) answer(c *client, place int32, e End, think time.Duration, requests int) {
	r.send(due.After(e.At, think+r.users.turnTime(c, place, e.At)), place, requests)
}

// ended decides what follows the end of a place's request. A session with a request that
// was not answered is over once none of its requests is in flight.
func (r *reactor) ended(c *client, place int32, e End) {
	if r.sessions == nil {
		r.answer(c, place, e, r.users.thinkTime(c, place), 1)
		return
	}
	s := r.sessions.at(place)
	if !s.ended(e.Ending) {
		return
	}
	if r.sessions.goesOn(c, s) {
		r.answer(c, place, e, r.stepTime(c, s, place), s.requests())
		return
	}
	s.end()
	if r.users != nil {
		r.answer(c, place, e, r.users.thinkTime(c, place), 1)
		return
	}
	r.free = append(r.free, place)
}

// stepTime draws the time from an answer to the next request of a place's session.
func (r *reactor) stepTime(c *client, s *awaitedSession, place int32) time.Duration {
	spec := r.sessions.spec
	switch {
	case s.called:
		return spec.Tools.Latency.draw(&s.stream)
	case spec.ThinkTime != nil:
		return spec.ThinkTime.draw(&s.stream)
	}
	return r.users.thinkTime(c, place)
}
