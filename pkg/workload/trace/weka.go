// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Weka is JSON with a session of an agent in each object, as InferenceX and the KV-cache tester record them: id,
// block_size and requests, with t in s, in and out in tokens, hash_ids of blocks that are local to the session, and
// api_time and think_time in s. A request of the type subagent is an agent of its own with requests; the session waits
// for it, unless its duration_ms is null. (Fields of aiperf@90f31d18.)
const Weka Format = "Weka"

var weka = format{
	name: Weka,
	matches: func(text string) bool {
		return hasKeys(text, "requests") && (hasKeys(text, "block_size") || hasKeys(text, "hash_id_scope"))
	},
	beginning: agentBeginning,
	expected:  "has a JSON object with id, block_size and requests for each session of an agent",
	newRecords: func(o Options, r io.Reader) (records, error) {
		held := &agentMemory{most: o.MemoryBytes}
		return newAgentRecords(&wekaParser{held: held, ids: map[string]bool{}}, record{timeField: "t", delayField: "t", outputField: "out"}, held, r)
	},
	carries: traitNames(blocksTrait, sessionTrait, delayTrait, modelTrait, linksTrait),
	tick:    time.Nanosecond,
}

// wekaParser is what is known of a file so far.
type wekaParser struct {
	held        *agentMemory
	all         []*agentSession
	ids         map[string]bool
	blockTokens int32
	values      int
}

type wekaSession struct {
	ID        string        `json:"id"`
	Models    []string      `json:"models"`
	BlockSize json.Number   `json:"block_size"`
	Scope     string        `json:"hash_id_scope"`
	Requests  []wekaRequest `json:"requests"`
}

// wekaRequest is a request, or an agent that the session began.
type wekaRequest struct {
	At       json.Number   `json:"t"`
	Type     string        `json:"type"`
	Model    string        `json:"model"`
	In       json.Number   `json:"in"`
	Out      json.Number   `json:"out"`
	IDs      []uint64      `json:"hash_ids"`
	APITime  json.Number   `json:"api_time"`
	Think    json.Number   `json:"think_time"`
	AgentID  string        `json:"agent_id"`
	Duration json.Number   `json:"duration_ms"`
	Requests []wekaRequest `json:"requests"`
}

func (p *wekaParser) value(text json.RawMessage) error {
	p.values++
	var s wekaSession
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("is no session: %w", err)
	}
	switch {
	case s.ID == "":
		return invalidField("id", "is missing")
	case p.ids[s.ID]:
		return invalidField("id", "must be unique, but an earlier row has %.80q, too", s.ID)
	case len(s.Requests) == 0:
		return invalidField("requests", "is missing, or has no request")
	}
	p.ids[s.ID] = true
	if err := errors.Join(agentName("id", s.ID), p.blockSize(s.BlockSize)); err != nil {
		return err
	}
	of := &wekaTree{parser: p, named: map[string]*agentSession{}, relative: map[*agentSession]bool{}}
	if s.Scope != "global" {
		of.scope = stats.HashString(s.ID)
	}
	if len(s.Models) > 0 {
		of.model = s.Models[0]
	}
	_, err := of.add(of.session(s.ID, nil), s.Requests, 0, "requests")
	return err
}

// blockSize reads the size of the blocks, which all sessions of a file have.
func (p *wekaParser) blockSize(n json.Number) error {
	const name = "block_size"
	size, err := jsonTokens(name, n, invalidField(name, "is missing"), func(name string, n uint64) (int32, error) {
		if n < 1 || n > maxBlockTokens {
			return 0, invalidField(name, "must be between 1 and %d tokens, got %d", maxBlockTokens, n)
		}
		return int32(n), nil
	})
	if err == nil && p.blockTokens != 0 && p.blockTokens != size {
		return invalidField(name, "must be %d, as in the rows before, got %d", p.blockTokens, size)
	}
	p.blockTokens = size
	return err
}

func (p *wekaParser) sessions() ([]*agentSession, int32, error) { return p.all, p.blockTokens, nil }

// wekaTree is a session of a file and the agents that it began.
type wekaTree struct {
	parser *wekaParser
	named  map[string]*agentSession
	scope  uint64 // that ids of blocks are local to
	model  string // of requests that name none
	// relative says of agents whether their times count from their beginnings.
	relative map[*agentSession]bool
}

// wekaTickNs is the resolution of times: files have them in s, rounded to 6 digits.
const wekaTickNs = 1000

// session returns the session of a name, which an agent that goes on has again.
func (t *wekaTree) session(name string, parent *agentSession) *agentSession {
	s, known := t.named[name]
	if !known {
		s = &agentSession{name: name, parent: parent}
		t.named[name] = s
		t.parser.all = append(t.parser.all, s)
	}
	return s
}

// add adds requests to a session. The times of an agent count from its beginning if the first one is before it.
func (t *wekaTree) add(to *agentSession, requests []wekaRequest, begin int64, path string) ([]*agentCall, error) {
	var calls []*agentCall
	var open *agentCall // whose answer has no time
	for i := range requests {
		r := &requests[i]
		at := fmt.Sprintf("%s[%d]", path, i)
		start, err := jsonTime("t", r.At, Seconds)
		if err == nil && r.At == "" {
			err = invalidField("t", "is missing")
		}
		if err != nil {
			return nil, within(at, err)
		}
		if _, known := t.relative[to]; !known && begin > wekaTickNs {
			t.relative[to] = start < begin-wekaTickNs
		}
		if t.relative[to] {
			start = later(start, begin)
		}
		if r.Type == "subagent" {
			if err := t.agent(to, r, start, at); err != nil {
				return nil, err
			}
			continue
		}
		c, think, err := t.call(r, start)
		if err != nil {
			return nil, within(at, err)
		}
		if open != nil && think > 0 {
			open.end = max(open.end, start-think)
		}
		if open = nil; r.APITime == "" {
			open = c
		}
		calls = append(calls, c)
		to.calls = append(to.calls, c)
	}
	return calls, nil
}

// agent adds what an agent asks that a session began. It is waited for unless its duration is null.
func (t *wekaTree) agent(parent *agentSession, r *wekaRequest, start int64, path string) error {
	if r.AgentID == "" {
		return within(path, invalidField("agent_id", "is missing"))
	}
	name := parent.name + subSession + r.AgentID
	if err := agentName("agent_id", name); err != nil {
		return within(path, err)
	}
	if _, err := jsonTime("duration_ms", r.Duration, Milliseconds); err != nil {
		return within(path, err)
	}
	calls, err := t.add(t.session(name, parent), r.Requests, start, path+".requests")
	if r.Duration != "" {
		parent.branches = append(parent.branches, &agentBranch{calls: calls})
	}
	return err
}

// call reads a request, and the think time before it.
func (t *wekaTree) call(r *wekaRequest, start int64) (c *agentCall, think int64, err error) {
	if r.Type != "n" && r.Type != "s" {
		return nil, 0, invalidField("type", "must be n, s or subagent, got %.80q", r.Type)
	}
	c = &agentCall{value: t.parser.values, start: start, model: r.Model}
	if c.model == "" {
		c.model = t.model
	}
	if err := agentName("model", c.model); err != nil {
		return nil, 0, err
	}
	if c.input, err = jsonTokens("in", r.In, invalidField("in", "is missing"), tokens); err != nil {
		return nil, 0, err
	}
	if c.output, err = jsonTokens("out", r.Out, invalidField("out", "is missing"), answer); err != nil {
		return nil, 0, err
	}
	duration, err := jsonTime("api_time", r.APITime, Seconds)
	if err != nil {
		return nil, 0, err
	}
	c.end = later(start, duration)
	if think, err = jsonTime("think_time", r.Think, Seconds); err != nil {
		return nil, 0, err
	}
	size := int(t.parser.blockTokens)
	if most := (int(c.input) + size - 1) / size; len(r.IDs) > most {
		return nil, 0, invalidField("hash_ids", "must have at most %d ids, one for each block of %d tokens of in, got %d", most, size, len(r.IDs))
	}
	for _, id := range r.IDs[:min(len(r.IDs), int(c.input)/size)] {
		if t.scope != 0 {
			id = stats.Hash64(t.scope, id)
		}
		c.ids = append(c.ids, id)
	}
	return c, think, t.parser.held.take(1, len(c.ids), 0)
}
