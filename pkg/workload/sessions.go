// SPDX-License-Identifier: Apache-2.0

package workload

import "windtunnel.dev/windtunnel/pkg/stats"

// Sessions make a client's requests turns of conversations. The loop stays open:
// a turn comes when the arrivals say so, whether or not the one before it was
// answered, and its prompt has all of that answer.
type Sessions struct {
	// Concurrent is how many there are at a time. Where one ends, the next one
	// begins.
	Concurrent int
	// Turns is how many requests a session has.
	Turns Lengths
	// Accumulate puts what was asked and answered before in front of what a turn
	// asks.
	Accumulate bool
	// MaxTokens bounds prompts, the prefix included: a session whose next prompt
	// would be longer ends before it. 0 means workload.MaxTokens.
	MaxTokens int
	// Order says which session goes on with the next request.
	Order Order
}

// sessions are those of one client.
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
	if spec == nil {
		return nil
	}
	s := &sessions{spec: *spec, turns: stream("turns"), order: stream("sessions")}
	if s.spec.MaxTokens == 0 {
		s.spec.MaxTokens = MaxTokens
	}
	return s
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
	if at.turnsLeft == 0 || at.tokens > 0 && at.tokens+tokens > s.spec.MaxTokens {
		*last++
		*at = session{number: *last, index: s.started, turnsLeft: s.spec.Turns.draw(s.turns)}
		s.started++
	}
	at.turnsLeft--
	return at
}
