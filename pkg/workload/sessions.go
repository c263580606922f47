// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// Sessions make a client's requests turns of conversations.
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
	// Turns is the number of turns of a session.
	Turns Lengths
	// PromptGrowth is the factor from what a turn asks to what the next turn asks,
	// before lengths are rounded and clamped; 0 is none.
	PromptGrowth float64
	// AnswerVariation is the CV of the factor from one turn's answer to the next
	// turn's. The factors are log-normal with a mean of 1; each multiplies those
	// before it. 0 is none.
	AnswerVariation float64
	// Context is what of the turns before is in front of what a turn asks.
	Context Context
	// CondenseEvery is the number of tokens behind the last summary from which on a
	// context that condenses is condensed. CondenseExponent is the exponent e, between
	// 0 and 1: the summary of n tokens has n to the power of e.
	CondenseEvery    int
	CondenseExponent float64
	// Tools and Branches, if set, make a turn several requests, where turns wait.
	Tools    *Tools
	Branches *Branches
	// MaxTokens bounds prompts, the prefix included: a session whose next prompt
	// would be longer ends before it. 0 means workload.MaxTokens.
	MaxTokens int
	// Order says which session goes on with the next request, where turns do not wait.
	Order Order
}

// Context says what of a session's turns before is in the prompt of a turn.
type Context string

const (
	// Independent is nothing.
	Independent Context = "Independent"
	// Accumulate is all that was asked and answered.
	Accumulate Context = "Accumulate"
	// Window is what of it fits into MaxTokens: the oldest turns fall away.
	Window Context = "Window"
	// Condense is a summary of it and what follows the summary.
	Condense Context = "Condense"
)

// sessions are those of one client whose turns do not wait for answers.
type sessions struct {
	spec         Sessions
	turns, order *stats.Stream
	place        int
	started      uint64
	open         []session // of the Concurrent places, those that were used: the first ones
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

// next returns the place of the session that the next request belongs to.
func (s *sessions) next() *session {
	place := s.place
	if s.spec.Order == Random {
		place = s.order.IntN(s.spec.Concurrent)
	} else if s.place++; s.place == s.spec.Concurrent {
		s.place = 0
	}
	for place >= len(s.open) {
		s.open = append(s.open, session{})
	}
	return &s.open[place]
}

// begin starts a session at its place. last is the number of the last one of the
// workload.
func (s *sessions) begin(c *client, at *session, last *int32, now simtime.Time) {
	*last++
	at.begin(c, *last, s.started, now, c.streams.prefix)
	at.turnsLeft = s.spec.Turns.draw(s.turns)
	s.started++
}
