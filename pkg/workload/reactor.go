// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// reactor is what a client sends in answer to ends: the next requests of the users of
// a closed loop, and the next turns of sessions that wait for their answers. A place is
// a user, or a session that arrivals began.
type reactor struct {
	users    *users           // nil where arrivals begin sessions
	sessions *awaitedSessions // nil where no turn waits
	due      dueHeap          // places that send a request next
	free     []int32          // places whose sessions are over, where there are no users
	places   int32
}

// newReactor returns the reactor of a client; nil where nothing of it waits.
func newReactor(u *users, s *awaitedSessions) *reactor {
	if u == nil && s == nil {
		return nil
	}
	r := &reactor{users: u, sessions: s}
	if u != nil {
		for user := range u.spec.Concurrency {
			r.due.push(duePlace{u.begins(user), int32(user)})
		}
	}
	return r
}

// next returns when the next request comes that answers an end; maxTime where none is
// known.
func (r *reactor) next() simtime.Time {
	if len(r.due) == 0 {
		return maxTime
	}
	return r.due[0].at
}

// take returns the place that sends the next request.
func (r *reactor) take() int32 { return r.due.pop().place }

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

// ended decides what follows the end of a place's request. A session whose turn was
// not answered is over.
func (r *reactor) ended(place int32, e End) {
	goesOn := r.sessions != nil && e.Ending == Completed && r.sessions.goesOn(place)
	switch {
	case goesOn:
		r.due.push(duePlace{after(e.At, r.turnTime(place)), place})
	case r.users != nil:
		if r.sessions != nil {
			r.sessions.end(place)
		}
		r.due.push(duePlace{after(e.At, r.users.thinkTime(place)), place})
	default:
		r.sessions.end(place)
		r.free = append(r.free, place)
	}
}

// turnTime draws the time from an answer to the next turn of a place's session.
func (r *reactor) turnTime(place int32) time.Duration {
	s := r.sessions
	if think := s.client.Sessions.ThinkTime; think != nil {
		return think.draw(s.open[place].stream)
	}
	return r.users.thinkTime(place)
}
