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

// AccessLog is JSON lines of an Envoy gateway's access log with the fields that Envoy AI Gateway documents
// (envoyproxy/ai-gateway@c217da8a): start_time, duration in ms, response_code, gen_ai.usage.input_tokens and
// gen_ai.usage.output_tokens, gen_ai.request.model and session.id. Other fields are not read. Requests arrive when they
// arrived at the gateway, and wait for no other. Envoy writes a line when a request ends, so lines are in any order. A
// line with an error and without numbers of tokens, such as of a rejected request, is counted and not replayed. The log
// does not say what prompts share: nothing, or what [Options].Sharing states.
const AccessLog Format = "AccessLog"

var accessLog = format{
	name:      AccessLog,
	matches:   func(text string) bool { return hasKeys(text, "start_time", "duration", accessLogOutput) },
	beginning: agentBeginning,
	expected:  "has a JSON object with start_time, duration and " + accessLogOutput + " on each line",
	newRecords: func(o Options, r io.Reader) (records, error) {
		held := &agentMemory{most: o.MemoryBytes}
		names := record{timeField: accessLogStart, delayField: accessLogStart, outputField: accessLogOutput}
		return newAgentRecords(&accessLogParser{held: held, named: map[string]*agentSession{}, sharer: sharer{Sharing: o.Sharing}}, names, held, r)
	},
	carries:  traitNames(blocksTrait, sessionTrait, modelTrait, outcomeTrait),
	outcomes: true,
	tick:     time.Nanosecond,
}

const (
	accessLogStart   = "start_time"
	accessLogCode    = "response_code"
	accessLogInput   = "gen_ai.usage.input_tokens"
	accessLogOutput  = "gen_ai.usage.output_tokens"
	accessLogSession = "session.id"
	accessLogModel   = "gen_ai.request.model"
)

// accessLogParser is what is known of a file so far.
type accessLogParser struct {
	held  *agentMemory
	all   []*agentSession
	named map[string]*agentSession
	lines int
	// sharer gives prompts the beginnings that the options say they share.
	sharer sharer
	// uncounted are the lines of failed requests without numbers of tokens.
	uncounted int
}

// accessLogLine is a line. Envoy writes numbers as such or as text, and what it does not know as null or "-".
type accessLogLine struct {
	Start    json.RawMessage `json:"start_time"`
	Duration json.RawMessage `json:"duration"`
	Code     json.RawMessage `json:"response_code"`
	Input    json.RawMessage `json:"gen_ai.usage.input_tokens"`
	Output   json.RawMessage `json:"gen_ai.usage.output_tokens"`
	Model    json.RawMessage `json:"gen_ai.request.model"`
	Session  json.RawMessage `json:"session.id"`
}

func (p *accessLogParser) value(text json.RawMessage) error {
	p.lines++
	var l accessLogLine
	if err := json.Unmarshal(text, &l); err != nil {
		return fmt.Errorf("is no line of an access log: %w", err)
	}
	status, err := l.status()
	if err != nil {
		return err
	}
	c := &agentCall{value: p.lines, order: p.lines, told: true, model: known(l.Model), outcome: Outcome{Status: status}}
	if c.outcome.failed() && known(l.Input) == "" {
		p.uncounted++
		return nil
	}
	session := known(l.Session)
	if err := errors.Join(agentName(accessLogSession, session), agentName(accessLogModel, c.model), l.times(c), l.lengths(c)); err != nil {
		return err
	}
	p.share(c, session)
	s, known := p.named[session]
	if !known {
		s = &agentSession{name: session}
		p.named[session], p.all = s, append(p.all, s)
	}
	s.calls = append(s.calls, c)
	return p.held.take(1, len(c.ids), 0)
}

// share gives a call the blocks that it shares.
func (p *accessLogParser) share(c *agentCall, session string) {
	if p.sharer.Sharing == (Sharing{}) {
		return
	}
	rec := record{input: c.input, session: session}
	p.sharer.share(&rec, nil)
	c.ids = slices.Clone(rec.ids)
}

// known returns what Envoy wrote; "" where it did not know.
func known(raw json.RawMessage) string {
	if text := stringOf(raw); text != "-" && text != "null" {
		return text
	}
	return ""
}

// status returns the code of the answer. Envoy writes 0 for a client that hung up before it.
func (l *accessLogLine) status() (int, error) {
	if known(l.Code) == "" {
		return 200, nil
	}
	code, err := jsonTokens(accessLogCode, json.Number(known(l.Code)), nil, answer)
	if err == nil && code != 0 {
		err = checkStatus(accessLogCode, int64(code))
	}
	return cmp.Or(int(code), statusHungUp), err
}

// times reads when a request arrived at the gateway, and when its answer ended.
func (l *accessLogLine) times(c *agentCall) (err error) {
	if c.start, err = otelTime(accessLogStart, nil, l.Start); err != nil {
		return err
	}
	duration, err := jsonTime("duration", json.Number(known(l.Duration)), Milliseconds)
	if err == nil && known(l.Duration) == "" {
		err = invalidField("duration", "is missing")
	}
	c.end = later(c.start, duration)
	c.outcome.E2E = time.Duration(duration)
	return err
}

func (l *accessLogLine) lengths(c *agentCall) (err error) {
	if c.input, err = jsonTokens(accessLogInput, json.Number(known(l.Input)), invalidField(accessLogInput, "is missing: the gateway's llmRequestCosts count tokens"), tokens); err != nil {
		return err
	}
	c.output, err = jsonTokens(accessLogOutput, json.Number(known(l.Output)), nil, answer)
	return err
}

func (p *accessLogParser) sessions() ([]*agentSession, int32, error) {
	if p.sharer.Sharing == (Sharing{}) {
		return p.all, 0, nil
	}
	return p.all, sharedBlockTokens, nil
}

// unreplayed implements [failedRecords].
func (p *accessLogParser) unreplayed() int { return p.uncounted }

// warning says how many lines are not replayed.
func (p *accessLogParser) warning() string {
	if p.uncounted == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d lines are errors without numbers of tokens, such as of rejected requests: a replay does not have them", p.uncounted, p.lines)
}
