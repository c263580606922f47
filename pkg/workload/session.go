// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// session is a conversation under way. The zero session is over.
type session struct {
	number    int32  // in the workload, from 1
	index     uint64 // in the client, from 0
	requests  int    // sent
	turns     int    // begun
	turnsLeft int    // to come
	// growth multiplies what a turn asks, and variation what is answered.
	growth, variation float64
	// context is what the next prompt begins with: prefixExtents of the prefix, then
	// what was asked and answered.
	context                     []prompt.Extent
	prefixExtents, prefixTokens int
	// tokens are those of the context behind the prefix, and turnTokens those of each
	// turn in a window, the oldest first.
	tokens     int
	turnTokens []int
	// condensed counts summaries, verbatim the tokens behind the last one, and total
	// those that the context would have without summaries.
	condensed       uint64
	verbatim, total int
	// source and said are where in the session's texts the next part begins. A session
	// of more than maxVolume tokens has several texts.
	source, volume uint64
	said           int
}

// begin starts a session at a time. Its prefix is drawn from a stream. The memory of the
// session before is used again.
func (s *session) begin(c *client, number int32, index uint64, at simtime.Time, prefix *stats.Stream) {
	*s = session{
		number: number, index: index, growth: 1, variation: 1,
		context: c.appendPrefix(s.context[:0], at, prefix), turnTokens: s.turnTokens[:0],
		source: sessionText.source(c.nameHash, index),
	}
	s.prefixExtents = len(s.context)
	for _, e := range s.context {
		s.prefixTokens += int(e.Tokens)
	}
}

// beginTurn begins a turn.
func (s *session) beginTurn(spec *Sessions, stream *stats.Stream) {
	s.turnsLeft--
	s.turns++
	if spec.Context == Window {
		s.turnTokens = append(s.turnTokens, 0)
	}
	if s.turns == 1 {
		return
	}
	if spec.PromptGrowth != 0 {
		s.growth *= spec.PromptGrowth
	}
	if spec.AnswerVariation != 0 {
		s.variation *= stats.LogNormalOf(1, spec.AnswerVariation).Sample(stream)
	}
}

// ask makes room for what a request asks, media and text, and adds it to the context.
// Behind it the request may have a part that does not stay. It returns false where the
// prompt is longer than the sessions allow.
func (s *session) ask(c *client, media []medium, tokens, behind int) bool {
	asked := tokens + behind
	for _, m := range media {
		asked += m.tokens
	}
	s.makeRoom(c, asked)
	for _, m := range media {
		if m.source == 0 {
			s.add(s.part(c, m.tokens))
		} else {
			s.add(prompt.Extent{Source: m.source, Tokens: int32(m.tokens)})
		}
	}
	s.add(s.part(c, tokens))
	spec := c.spec.Sessions
	return spec.Context == Independent || s.prefixTokens+s.tokens+behind <= spec.maxTokens()
}

// maxVolume bounds where parts of a text begin.
const maxVolume = 1 << 30

// part returns the next tokens of the session's text, whoever says them.
func (s *session) part(c *client, tokens int) prompt.Extent {
	if s.said > maxVolume {
		s.volume++
		s.source, s.said = sessionText.source(c.nameHash, s.index, s.volume), 0
	}
	e := prompt.Extent{Source: s.source, Start: int32(s.said), Tokens: int32(tokens)}
	s.said += tokens
	return e
}

// add adds a text to the context.
func (s *session) add(e prompt.Extent) {
	s.tokens += int(e.Tokens)
	s.verbatim += int(e.Tokens)
	s.total += int(e.Tokens)
	if turn := len(s.turnTokens) - 1; turn >= 0 {
		s.turnTokens[turn] += int(e.Tokens)
	}
	if last := len(s.context) - 1; last >= s.prefixExtents {
		if l := &s.context[last]; l.Source == e.Source && l.Start+l.Tokens == e.Start {
			l.Tokens += e.Tokens
			return
		}
	}
	s.context = append(s.context, e)
}

// makeRoom shortens the context before tokens are added to it.
func (s *session) makeRoom(c *client, tokens int) {
	spec := c.spec.Sessions
	switch spec.Context {
	case Independent:
		s.context, s.tokens = s.context[:s.prefixExtents], 0
		s.source, s.said = c.independentText(s), 0
	case Window:
		for len(s.turnTokens) > 1 && s.prefixTokens+s.tokens+tokens > spec.maxTokens() {
			s.forget(s.turnTokens[0])
			s.turnTokens = slices.Delete(s.turnTokens, 0, 1)
		}
	case Condense:
		if s.verbatim >= spec.CondenseEvery {
			s.condense(c)
		}
	}
}

// forget removes a number of tokens behind the prefix.
func (s *session) forget(tokens int) {
	s.tokens -= tokens
	from := s.prefixExtents
	to := from
	for ; tokens > 0 && int(s.context[to].Tokens) <= tokens; to++ {
		tokens -= int(s.context[to].Tokens)
	}
	if tokens > 0 {
		s.context[to].Start += int32(tokens)
		s.context[to].Tokens -= int32(tokens)
	}
	s.context = slices.Delete(s.context, from, to)
}

// condense puts a summary in the place of all that is behind the prefix. One of MaxTokens
// leaves no room for anything else, so the session ends.
func (s *session) condense(c *client) {
	length := int(min(math.Ceil(stats.Pow(float64(s.total), c.spec.Sessions.CondenseExponent)), MaxTokens))
	s.context = append(s.context[:s.prefixExtents], prompt.Extent{
		Source: summaryText.source(c.nameHash, s.index, s.condensed), Tokens: int32(length),
	})
	s.condensed++
	s.tokens, s.verbatim = length, 0
}
