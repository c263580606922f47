// SPDX-License-Identifier: Apache-2.0

package workload

import "windtunnel.dev/windtunnel/pkg/stats"

// Sessions make a client's requests turns of conversations. The prompt of a turn has
// all of the answers before it.
type Sessions struct {
	// AfterAnswer makes each turn wait until the turn before it was answered. Arrivals
	// then begin sessions, and the users of a closed loop have one session each at a
	// time. Otherwise a turn comes when the arrivals say so, answered or not.
	AfterAnswer bool
	// ThinkTime is the time from an answer to the next turn, where turns wait. With nil
	// it is the think time of the closed loop.
	ThinkTime *Durations
	// Concurrent is how many there are at a time, where turns do not wait. Where one
	// ends, the next one begins.
	Concurrent int
	// Turns is how many requests a session has.
	Turns Lengths
	// Accumulate puts what was asked and answered before in front of what a turn
	// asks.
	Accumulate bool
	// MaxTokens bounds prompts, the prefix included: a session whose next prompt
	// would be longer ends before it. 0 means workload.MaxTokens.
	MaxTokens int
	// Order says which session goes on with the next request, where turns do not wait.
	Order Order
}

// sessions are those of one client whose turns do not wait for answers.
type sessions struct {
	spec         Sessions
	turns, order *stats.Stream
	next         int
	started      uint64
	open         []session // of the Concurrent places, those that were used: the first ones
}

// session is a conversation under way.
type session struct {
	number    int32  // in the workload, from 1
	index     uint64 // number in the client, from 0
	turnsLeft int    // turns to come
	tokens    int    // asked and answered so far
}

func newSessions(spec *Sessions, stream func(string) *stats.Stream) *sessions {
	if spec == nil || spec.AfterAnswer {
		return nil
	}
	return &sessions{spec: *spec, turns: stream("turns"), order: stream("sessions")}
}

// maxTokens bounds the prompts of a session.
func (s *Sessions) maxTokens() int {
	if s.MaxTokens == 0 {
		return MaxTokens
	}
	return s.MaxTokens
}

// turn returns the session that a request of so many tokens, beside those of
// the session, belongs to. last is the number of the last one of the workload.
func (s *sessions) turn(tokens int, last *int32) *session {
	place := s.next
	if s.spec.Order == Random {
		place = s.order.IntN(s.spec.Concurrent)
	} else if s.next++; s.next == s.spec.Concurrent {
		s.next = 0
	}
	for place >= len(s.open) {
		s.open = append(s.open, session{})
	}
	at := &s.open[place]
	if at.turnsLeft == 0 || at.tokens > 0 && at.tokens+tokens > s.spec.maxTokens() {
		*last++
		*at = session{number: *last, index: s.started, turnsLeft: s.spec.Turns.draw(s.turns)}
		s.started++
	}
	at.turnsLeft--
	return at
}
