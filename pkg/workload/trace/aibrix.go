// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unsafe"
)

// AIBrix is JSON lines of the workload generator of AIBrix: timestamp in ms and the requests that come then, with prompt,
// prompt_length, output_length and session_id. A request with agent has its node_id and its parent_ids, which lead
// through events (tools, joins and pauses) to the requests that it waits for. (aibrix@e3e10f9e.)
const AIBrix Format = "AIBrix"

var aibrix = format{
	name:        AIBrix,
	matches:     func(text string) bool { return hasKeys(text, "timestamp", "requests") && !weka.matches(text) },
	beginning:   agentBeginning,
	expected:    "has a JSON object with timestamp and requests on each line",
	blockTokens: sharedBlockTokens,
	newRecords: func(o Options, r io.Reader) (records, error) {
		held := &agentMemory{most: o.MemoryBytes}
		p := &aibrixParser{held: held, nodes: map[string]*aibrixNode{}, named: map[string]*agentSession{}, sharer: sharer{Sharing: Sharing{By: SharedByText}}}
		return newAgentRecords(p, record{timeField: "timestamp", delayField: "timestamp", outputField: "output_length"}, held, r)
	},
	carries: traitNames(blocksTrait, sessionTrait, delayTrait, modelTrait, linksTrait),
	times:   Milliseconds,
	tick:    time.Nanosecond,
}

// isOfAgents reports whether a text begins as a format of agents does.
func isOfAgents(text string) bool {
	return aibrix.matches(text) || weka.matches(text) || otel.matches(text) || traceLab.matches(text)
}

// aibrixParser is what is known of a file so far.
type aibrixParser struct {
	held   *agentMemory
	all    []*agentSession
	named  map[string]*agentSession
	nodes  map[string]*aibrixNode
	calls  []*aibrixNode
	sharer sharer
	values int
	// requests are those read so far.
	requests int
}

// aibrixNode is a request, or an event without one, and what it comes after.
type aibrixNode struct {
	call    *agentCall
	parents []string
	// before are the requests that the node comes after, once found; at counts the parents that were visited.
	before []*agentCall
	found  bool
	at     int
}

type aibrixLine struct {
	Timestamp json.Number     `json:"timestamp"`
	Requests  []aibrixRequest `json:"requests"`
	Events    []aibrixAgent   `json:"events"`
}

type aibrixRequest struct {
	Prompt       json.RawMessage `json:"prompt"`
	PromptLength json.Number     `json:"prompt_length"`
	OutputLength json.Number     `json:"output_length"`
	SessionID    json.RawMessage `json:"session_id"`
	Model        string          `json:"model"`
	Agent        *aibrixAgent    `json:"agent"`
}

type aibrixAgent struct {
	NodeID   string      `json:"node_id"`
	Parents  []string    `json:"parent_ids"`
	Expected json.Number `json:"expected_latency_ms"`
}

func (p *aibrixParser) value(text json.RawMessage) error {
	p.values++
	var line aibrixLine
	if err := json.Unmarshal(text, &line); err != nil {
		return fmt.Errorf("is no object with timestamp and requests: %w", err)
	}
	at, err := jsonTime("timestamp", line.Timestamp, Milliseconds)
	if err == nil && line.Timestamp == "" {
		err = invalidField("timestamp", "is missing")
	}
	if err != nil {
		return err
	}
	for i := range line.Requests {
		if err := p.request(&line.Requests[i], at); err != nil {
			return within(fmt.Sprintf("requests[%d]", i), err)
		}
	}
	for i := range line.Events {
		if err := p.node(&line.Events[i], nil); err != nil {
			return within(fmt.Sprintf("events[%d]", i), err)
		}
	}
	return nil
}

// request reads a request. A null output_length is 0: the file does not say how long the answer is.
func (p *aibrixParser) request(r *aibrixRequest, at int64) error {
	c := &agentCall{value: p.values, start: at, end: at, model: r.Model, told: true}
	session, err := textOf("session_id", r.SessionID)
	if err = errors.Join(err, agentName("session_id", session), agentName("model", r.Model)); err != nil {
		return err
	}
	if c.input, err = jsonTokens("prompt_length", r.PromptLength, invalidField("prompt_length", "is missing"), tokens); err != nil {
		return err
	}
	if c.output, err = jsonTokens("output_length", r.OutputLength, nil, answer); err != nil {
		return err
	}
	rec := record{input: c.input}
	p.sharer.share(&rec, []byte(stringOf(r.Prompt)))
	c.ids = slices.Clone(rec.ids)
	if err := p.held.take(1, len(c.ids), 0); err != nil {
		return err
	}
	s, known := p.named[session]
	if !known {
		s = &agentSession{name: session}
		p.named[session] = s
		p.all = append(p.all, s)
	}
	p.requests++
	c.order = p.requests
	s.calls = append(s.calls, c)
	if r.Agent == nil {
		return nil
	}
	latency, err := jsonTime("expected_latency_ms", r.Agent.Expected, Milliseconds)
	if err == nil {
		c.end = later(at, latency)
		err = p.node(r.Agent, c)
	}
	return within("agent", err)
}

// node notes a node.
func (p *aibrixParser) node(a *aibrixAgent, c *agentCall) error {
	switch _, known := p.nodes[a.NodeID]; {
	case a.NodeID == "":
		return invalidField("node_id", "is missing")
	case known:
		return invalidField("node_id", "must be unique, but an earlier node has %.80q, too", a.NodeID)
	}
	texts := len(a.NodeID)
	for _, id := range a.Parents {
		texts += len(id) + int(unsafe.Sizeof(id))
	}
	if err := p.held.take(0, 0, int64(texts)+int64(unsafe.Sizeof(aibrixNode{}))); err != nil {
		return err
	}
	n := &aibrixNode{call: c, parents: a.Parents}
	p.nodes[a.NodeID] = n
	if c != nil {
		p.calls = append(p.calls, n)
	}
	return nil
}

// sessions resolves what requests wait for, through events.
func (p *aibrixParser) sessions() ([]*agentSession, int32, error) {
	for _, n := range p.calls {
		if err := p.find(n); err != nil {
			return nil, 0, n.call.row(err)
		}
		n.call.waits = n.before
	}
	return p.all, sharedBlockTokens, nil
}

// find finds the requests that a node comes after, and those of the events on the way.
func (p *aibrixParser) find(n *aibrixNode) error {
	for line := []*aibrixNode{n}; len(line) > 0; {
		of := line[len(line)-1]
		if of.at == len(of.parents) {
			if err := p.join(of); err != nil {
				return err
			}
			line = line[:len(line)-1]
			continue
		}
		id := of.parents[of.at]
		parent, known := p.nodes[id]
		if !known {
			return invalidField("agent.parent_ids", "must lead to node_ids of the file, got %.80q", id)
		}
		of.at++
		if parent.call != nil || parent.found {
			continue
		}
		if parent.at > 0 {
			return invalidField("agent.parent_ids", "leads round in a circle, through %.80q", id)
		}
		line = append(line, parent)
	}
	return nil
}

// join makes one list of the requests that the parents of a node are or lead to. Nodes with one event before them share its list.
func (p *aibrixParser) join(n *aibrixNode) error {
	n.found = true
	if len(n.parents) == 1 && p.nodes[n.parents[0]].call == nil {
		n.before = p.nodes[n.parents[0]].before
		return nil
	}
	seen := map[*agentCall]bool{}
	for _, id := range n.parents {
		parent := p.nodes[id]
		list := parent.before
		if parent.call != nil {
			list = []*agentCall{parent.call}
		}
		for _, c := range list {
			if !seen[c] {
				seen[c] = true
				n.before = append(n.before, c)
			}
		}
	}
	return p.held.takeWaits(len(n.before))
}

// textOf returns a JSON string or number as text; a null or a missing one is empty.
func textOf(field string, raw json.RawMessage) (string, error) {
	text := strings.TrimSpace(string(raw))
	switch {
	case text == "" || text == "null":
		return "", nil
	case text[0] == '"':
		return stringOf(raw), nil
	case text[0] == '-' || text[0] >= '0' && text[0] <= '9':
		return text, nil
	}
	return "", invalidField(field, "must be a string or a number, got %.80q", text)
}

// stringOf returns a JSON string; of another value, its text as it is written.
func stringOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return string(raw)
	}
	return text
}
