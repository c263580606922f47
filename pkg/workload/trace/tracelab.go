// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// TraceLab is JSON lines with a round of a coding agent in each: session_id, round_index, model, input_tokens_total,
// prefix_tokens, which the provider had cached, output_tokens, and timing_events with a timestamp each. A round begins with
// its first event, such as the result of a tool, and ends with the last one. (uw-syfi/TraceLab v0.0.1; fields of
// aiperf@2f0eba5b.) It has no hashes: a round shares what was cached with the round before in its session.
const TraceLab Format = "TraceLab"

var traceLab = format{
	name:        TraceLab,
	matches:     func(text string) bool { return hasKeys(text, "session_id", "round_index") },
	beginning:   agentBeginning,
	expected:    "has a JSON object with session_id and round_index on each line",
	blockTokens: sharedBlockTokens,
	newRecords: func(o Options, r io.Reader) (records, error) {
		held := &agentMemory{most: o.MemoryBytes}
		names := record{timeField: "timing_events", delayField: "timing_events", outputField: "output_tokens"}
		return newAgentRecords(&traceLabParser{held: held, named: map[string]*traceLabSession{}}, names, held, r)
	},
	carries: traitNames(blocksTrait, sessionTrait, delayTrait, modelTrait, linksTrait),
	tick:    time.Nanosecond,
}

// traceLabParser is what is known of a file so far.
type traceLabParser struct {
	held   *agentMemory
	all    []*traceLabSession
	named  map[string]*traceLabSession
	values int
}

type traceLabSession struct {
	agentSession
	rounds []traceLabCall
}

// traceLabCall is a round, and how many tokens of its prompt were cached.
type traceLabCall struct {
	call   *agentCall
	cached int32
}

type traceLabRound struct {
	SessionID string      `json:"session_id"`
	Round     json.Number `json:"round_index"`
	Model     string      `json:"model"`
	Input     json.Number `json:"input_tokens_total"`
	Prefix    json.Number `json:"prefix_tokens"`
	Output    json.Number `json:"output_tokens"`
	Events    []struct {
		Timestamp string `json:"timestamp"`
	} `json:"timing_events"`
}

func (p *traceLabParser) value(text json.RawMessage) error {
	p.values++
	var r traceLabRound
	if err := json.Unmarshal(text, &r); err != nil {
		return fmt.Errorf("is no round: %w", err)
	}
	if r.SessionID == "" {
		return invalidField("session_id", "is missing")
	}
	c := &agentCall{value: p.values, model: r.Model}
	err := errors.Join(agentName("session_id", r.SessionID), agentName("model", r.Model), r.times(c))
	if err != nil {
		return err
	}
	round, err := jsonTokens("round_index", r.Round, invalidField("round_index", "is missing"), answer)
	if err != nil {
		return err
	}
	c.order = int(round)
	if c.input, err = jsonTokens("input_tokens_total", r.Input, invalidField("input_tokens_total", "is missing"), tokens); err != nil {
		return err
	}
	if c.output, err = jsonTokens("output_tokens", r.Output, invalidField("output_tokens", "is missing"), answer); err != nil {
		return err
	}
	cached, err := jsonTokens("prefix_tokens", r.Prefix, nil, answer)
	if err == nil && cached > c.input {
		err = invalidField("prefix_tokens", "must be at most the %d of input_tokens_total, got %d", c.input, cached)
	}
	if err != nil {
		return err
	}
	s, known := p.named[r.SessionID]
	if !known {
		s = &traceLabSession{agentSession: agentSession{name: r.SessionID}}
		p.named[r.SessionID] = s
		p.all = append(p.all, s)
	}
	s.rounds = append(s.rounds, traceLabCall{c, cached})
	return p.held.take(1, int(c.input)/sharedBlockTokens, 0)
}

// times reads when a round began and ended.
func (r *traceLabRound) times(c *agentCall) error {
	if len(r.Events) == 0 {
		return invalidField("timing_events", "is missing, or has no event")
	}
	for i, event := range r.Events {
		field := fmt.Sprintf("timing_events[%d].timestamp", i)
		at, err := time.Parse(time.RFC3339Nano, event.Timestamp)
		if err != nil {
			return invalidField(field, "must be a time such as 2026-08-25T00:00:01.5Z, got %.80q", event.Timestamp)
		}
		ns, err := nanoseconds(field, at.UnixNano())
		if err != nil {
			return err
		}
		if i == 0 {
			c.start = ns
		}
		c.start, c.end = min(c.start, ns), max(c.end, ns)
	}
	return nil
}

// sessions gives rounds the blocks that they share, in the order of their times.
func (p *traceLabParser) sessions() ([]*agentSession, int32, error) {
	var all []*agentSession
	for _, s := range p.all {
		slices.SortStableFunc(s.rounds, func(a, b traceLabCall) int {
			return cmp.Or(begins(a.call, b.call), cmp.Compare(a.call.value, b.call.value))
		})
		for _, r := range s.rounds {
			p.held.blocks -= s.shareCached(r.call, r.cached)
			s.calls = append(s.calls, r.call)
		}
		all = append(all, &s.agentSession)
	}
	return all, sharedBlockTokens, nil
}
