// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// contentStreams are what the texts of requests are drawn from. Each client has streams
// of its own. A session that waits for answers has one stream for all, since other
// sessions of the client may come between its turns.
type contentStreams struct {
	input, output            *stats.Stream
	prefix, media, reasoning *stats.Stream // nil where the client has none of it
}

func newContentStreams(c *Client, stream func(string) *stats.Stream) contentStreams {
	streams := contentStreams{input: stream("input"), output: stream("output")}
	if c.PrefixGroups != nil || c.Examples != nil {
		streams.prefix = stream("prefix")
	}
	if len(c.Media) > 0 {
		streams.media = stream("media")
	}
	if c.Reasoning != nil {
		streams.reasoning = stream("reasoning")
	}
	return streams
}

// oneStream draws everything from one stream.
func oneStream(s *stats.Stream) contentStreams { return contentStreams{s, s, s, s, s} }

// scratch is memory that the clients of a source use in turn.
type scratch struct {
	text     []prompt.Extent
	media    []medium
	examples []int
	buffer   []byte // of the name of a stream
	choice   choice // of the prompt's length
	lengths  stats.Stream
}

// fillRequest fills in the request that a place of the client's reactor sends. The
// place does not matter to a client without a reactor.
func (c *client) fillRequest(m *mergedClients, place int32, r *Request) {
	r.Tenant, r.Class, r.Priority = c.tenant, c.class, c.spec.Priority
	r.Adapter, r.Headers, r.Model = c.adapter, c.headers, c.model
	r.FirstTokenTimeout, r.Timeout = c.spec.FirstTokenTimeout, c.spec.Timeout
	r.Origin.Step = int(c.sent) + 1
	r.Prompt.Extents = m.memory.Keep(c.drawContent(m, place, r))
	c.sent++
}

// drawContent draws what is answered and returns the prompt, which is valid until the
// next call.
func (c *client) drawContent(m *mergedClients, place int32, r *Request) []prompt.Extent {
	switch {
	case c.reactor != nil && c.reactor.sessions != nil:
		return c.nextAwaitedTurn(m, place, r)
	case c.sessions != nil:
		return c.nextTurn(m, r)
	}
	c.text = c.appendPrefix(c.text[:0], r.Arrival, c.streams.prefix)
	if c.prompts != nil {
		return c.fixedPrompt(r)
	}
	return c.newPrompt(r, c.drawInput())
}

// lengthFactor draws how much longer the lengths of a client are than those that its
// distributions say.
func lengthFactor(c *Client, stream func(string) *stats.Stream) float64 {
	if c.LengthCV == 0 {
		return 1
	}
	return stats.LogNormalOf(1, c.LengthCV).Sample(stream("length factor"))
}

func (c *client) drawInput() int { return c.spec.Input.clamp(c.sampleInput(c.streams.input)) }

// sampleInput draws a length that is not clamped.
func (c *client) sampleInput(s *stats.Stream) float64 {
	input := c.spec.Input.Distribution
	return float64(c.choice.of(input.Sample(s), input) * c.lengthFactor)
}

// fixedPrompt adds one of the client's fixed prompts to the text.
func (c *client) fixedPrompt(r *Request) []prompt.Extent {
	number, tokens := c.prompts.nextPrompt(c.drawInput)
	r.OutputTokens, _ = c.drawAnswer(c.streams, 1)
	r.Response = answerText.source(c.nameHash, c.sent)
	c.text = append(c.text, prompt.Extent{Source: fixedText.source(c.nameHash, uint64(number)), Tokens: tokens})
	return c.text
}

// newPrompt adds a part that no other prompt has to the text, behind its media. The answer
// continues it.
func (c *client) newPrompt(r *Request, tokens int) []prompt.Extent {
	own := prompt.Extent{Source: uniqueText.source(c.nameHash, c.sent)}
	for _, m := range c.drawMedia(c.streams.media) {
		if m.source == 0 {
			own.Tokens = int32(m.tokens)
			c.text = append(c.text, own)
			own.Start += own.Tokens
		} else {
			c.text = append(c.text, prompt.Extent{Source: m.source, Tokens: int32(m.tokens)})
		}
	}
	own.Tokens = int32(tokens)
	r.OutputTokens, _ = c.drawAnswer(c.streams, 1)
	r.Response, r.ResponseStart = own.Source, own.Start+own.Tokens
	c.text = append(c.text, own)
	r.Prompt.Own = len(c.text) - slices.IndexFunc(c.text, func(e prompt.Extent) bool { return e.Source == own.Source && e.Tokens > 0 })
	return c.text
}

// drawAnswer draws the tokens that are generated, of which the first ones are reasoning.
func (c *client) drawAnswer(streams contentStreams, variation float64) (generated, reasoning int) {
	answer := c.spec.Output.clamp(float64(c.spec.Output.Distribution.Sample(streams.output)*variation) * c.lengthFactor)
	reasoning = c.spec.Reasoning.draw(answer, streams.reasoning)
	return reasoning + answer, reasoning
}

// inContext returns the part of what was generated that the next turn of a session has.
func (c *client) inContext(generated prompt.Extent, reasoning int) prompt.Extent {
	if reasoning > 0 && !c.spec.Reasoning.Kept {
		generated.Start += int32(reasoning)
		generated.Tokens -= int32(reasoning)
	}
	return generated
}

// nextTurn makes the next turn of a session that does not wait for answers.
func (c *client) nextTurn(m *mergedClients, r *Request) []prompt.Extent {
	sample := c.sampleInput(c.streams.input)
	media := c.drawMedia(c.streams.media)
	s := c.sessions.next()
	if s.turnsLeft == 0 || !c.asksNextTurn(s, media, sample) {
		c.sessions.begin(c, s, &m.sessions, r.Arrival)
		c.asksNextTurn(s, media, sample)
	}
	c.text = append(c.text[:0], s.context...)
	tokens, reasoning := c.drawAnswer(c.streams, s.variation)
	generated := s.part(c, tokens)
	s.add(c.inContext(generated, reasoning))
	s.fillAnswer(generated, r)
	return c.text
}

// asksNextTurn makes a session ask the next turn. It returns false where the prompt is
// longer than the sessions allow.
func (c *client) asksNextTurn(s *session, media []medium, sample float64) bool {
	s.beginTurn(c.spec.Sessions, c.streams.output)
	return s.ask(c, media, c.spec.Input.clamp(sample*s.growth), 0)
}

// nextAwaitedTurn makes the next request of the session at a place, or the first one of a
// new session.
func (c *client) nextAwaitedTurn(m *mergedClients, place int32, r *Request) []prompt.Extent {
	s := c.reactor.sessions.at(place)
	if s.number == 0 {
		m.sessions++
		c.reactor.sessions.begin(c, s, m.sessions, r.Arrival)
		c.reactor.send(r.Arrival, place, s.requests()-1)
	}
	c.text = append(c.text[:0], s.context...)
	tokens, reasoning := c.drawAnswer(oneStream(&s.stream), s.variation)
	generated := c.generated(s, tokens)
	s.sent++
	s.answers = append(s.answers, c.inContext(generated, reasoning))
	s.fillAnswer(generated, r)
	return c.text
}

// generated adds the own part of the session's next branch to the text, if the turn has
// branches, and returns where the generated tokens are.
func (c *client) generated(s *awaitedSession, tokens int) prompt.Extent {
	if len(s.branches) == 0 {
		return s.part(c, tokens)
	}
	own := prompt.Extent{
		Source: branchText.source(c.nameHash, s.index, uint64(s.turns), uint64(s.sent)), Tokens: int32(s.branches[s.sent]),
	}
	if own.Tokens > 0 {
		c.text = append(c.text, own)
	}
	return prompt.Extent{Source: own.Source, Start: own.Tokens, Tokens: int32(tokens)}
}

// fillAnswer fills in which request of a session it is, and what it is answered.
func (s *session) fillAnswer(generated prompt.Extent, r *Request) {
	s.requests++
	r.Origin = Origin{Session: int32(s.index) + 1, Turn: int32(s.turns), Step: s.requests}
	r.Session, r.OutputTokens = s.number, int(generated.Tokens)
	r.Response, r.ResponseStart = generated.Source, generated.Start
}

// independentText returns the text of a session's turn that has nothing of the turns
// before it.
func (c *client) independentText(s *session) uint64 {
	if c.spec.Sessions.AfterAnswer {
		return turnText.source(c.nameHash, s.index, uint64(s.turnsLeft+1))
	}
	return uniqueText.source(c.nameHash, c.sent)
}
