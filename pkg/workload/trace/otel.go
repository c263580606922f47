// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// OTel is JSON with spans of OpenTelemetry's conventions for generative AI: exports of OTLP with resourceSpans, objects
// with spans, or a span in each. Spans of the operation chat, text_completion or generate_content are requests; spans of
// tools take the time between them. Requests with one gen_ai.conversation.id, or of one trace without it, are a session,
// and those below a second invoke_agent are one of their own.
const OTel Format = "OTel"

var otel = format{
	name: OTel,
	matches: func(text string) bool {
		return hasKeys(text, "resourceSpans") || hasKeys(text, "spans") || hasKeys(text) && strings.Contains(text, `"gen_ai.`)
	},
	beginning: agentBeginning,
	expected:  "has JSON objects with resourceSpans, with spans, or with a span that has gen_ai attributes",
	newRecords: func(o Options, r io.Reader) (records, error) {
		held := &agentMemory{most: o.MemoryBytes}
		return newAgentRecords(&otelParser{held: held}, record{timeField: "startTimeUnixNano", delayField: "startTimeUnixNano", outputField: "gen_ai.usage.output_tokens"}, held, r)
	},
	carries:  traitNames(blocksTrait, sessionTrait, delayTrait, modelTrait, linksTrait, outcomeTrait),
	outcomes: true,
	times:    Nanoseconds,
	tick:     time.Nanosecond,
}

// Attributes of spans, with their older names.
var (
	otelInput        = []string{"gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"}
	otelOutput       = []string{"gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"}
	otelCached       = []string{"gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens"}
	otelModel        = []string{"gen_ai.response.model", "gen_ai.request.model"}
	otelPrompt       = []string{"gen_ai.input.messages", "gen_ai.prompt"}
	otelAnswer       = []string{"gen_ai.output.messages", "gen_ai.output.text", "gen_ai.completion"}
	otelRequests     = []string{"chat", "text_completion", "generate_content"}
	otelConversation = []string{"gen_ai.conversation.id"}
	otelFirstToken   = []string{"gen_ai.latency.time_to_first_token", "gen_ai.response.time_to_first_chunk"}
)

const (
	otelOperation = "gen_ai.operation.name"
	otelAgent     = "invoke_agent"
)

// otelParser is what is known of a file so far.
type otelParser struct {
	held      *agentMemory
	spans     []*otelSpan
	values    int
	estimated int // requests whose lengths are estimated
}

// otelText is an export, an object with spans, or a span.
type otelText struct {
	Resources []struct {
		Scopes []struct {
			Spans []otelRaw `json:"spans"`
		} `json:"scopeSpans"`
	} `json:"resourceSpans"`
	Spans []otelRaw `json:"spans"`
	otelRaw
}

// otelRaw is a span as OTLP, the SDK of Python and other programs write it.
type otelRaw struct {
	Context struct {
		TraceID string `json:"trace_id"`
		SpanID  string `json:"span_id"`
	} `json:"context"`
	ParentOf   string          `json:"parent_id"`
	TraceID    string          `json:"traceId"`
	TraceIDs   string          `json:"trace_id"`
	SpanID     string          `json:"spanId"`
	SpanIDs    string          `json:"span_id"`
	ParentID   string          `json:"parentSpanId"`
	ParentIDs  string          `json:"parent_span_id"`
	Start      json.RawMessage `json:"startTimeUnixNano"`
	StartTime  json.RawMessage `json:"start_time"`
	End        json.RawMessage `json:"endTimeUnixNano"`
	EndTime    json.RawMessage `json:"end_time"`
	Attributes json.RawMessage `json:"attributes"`
	Status     json.RawMessage `json:"status"`
}

// otelSpan is a span.
type otelSpan struct {
	value             int
	trace, id, parent string
	above             *otelSpan
	start, end        int64
	attributes        map[string]string
	failed            bool
}

func (p *otelParser) value(text json.RawMessage) error {
	p.values++
	var in otelText
	if err := json.Unmarshal(text, &in); err != nil {
		return fmt.Errorf("is no span: %w", err)
	}
	all := in.Spans
	for _, r := range in.Resources {
		for _, s := range r.Scopes {
			all = append(all, s.Spans...)
		}
	}
	if in.Attributes != nil || in.id() != "" {
		all = append(all, in.otelRaw)
	}
	if all == nil && in.Resources == nil && in.Spans == nil {
		return errors.New("has no spans")
	}
	for i := range all {
		if err := p.add(&all[i]); err != nil {
			return within(fmt.Sprintf("spans[%d]", i), err)
		}
	}
	return nil
}

func (r *otelRaw) id() string { return r.SpanID + r.SpanIDs + r.Context.SpanID }

// add notes a span.
func (p *otelParser) add(raw *otelRaw) (err error) {
	s := &otelSpan{value: p.values, trace: raw.TraceID + raw.TraceIDs + raw.Context.TraceID, id: raw.id(), parent: raw.ParentID + raw.ParentIDs + raw.ParentOf}
	if err := p.held.take(0, 0, int64(unsafe.Sizeof(*s))+int64(len(raw.Attributes))); err != nil {
		return err
	}
	if s.attributes, err = otelAttributes(raw.Attributes); err != nil {
		return err
	}
	if s.start, err = otelTime("startTimeUnixNano", raw.Start, raw.StartTime); err != nil {
		return err
	}
	if s.end, err = otelTime("endTimeUnixNano", raw.End, raw.EndTime); err != nil {
		return err
	}
	if s.end < s.start {
		return invalidField("endTimeUnixNano", "must not be before startTimeUnixNano")
	}
	status := string(raw.Status)
	s.failed = strings.Contains(status, "ERROR") || strings.Contains(strings.ReplaceAll(status, " ", ""), `"code":2`)
	p.spans = append(p.spans, s)
	return nil
}

// otelTime reads a time in ns since 1970, as a number or a text, or a date.
func otelTime(field string, number, date json.RawMessage) (int64, error) {
	text := stringOf(number)
	if len(number) == 0 {
		text = stringOf(date)
	}
	if at, _, ok := parseTimestamp([]byte(text)); ok {
		return at, nil
	}
	if text == "" || text == "null" {
		return 0, invalidField(field, "is missing")
	}
	return jsonTime(field, json.Number(text), Nanoseconds)
}

// otelAttributes reads attributes: a list of keys and values, or an object. Of values, only texts and numbers count.
func otelAttributes(raw json.RawMessage) (map[string]string, error) {
	all := map[string]string{}
	if len(raw) == 0 {
		return all, nil
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) == nil {
		for name, value := range fields {
			all[name] = stringOf(value)
		}
		return all, nil
	}
	var list []struct {
		Key   string                     `json:"key"`
		Value map[string]json.RawMessage `json:"value"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, invalidField("attributes", "must be an object, or a list of keys and values")
	}
	for _, a := range list {
		for _, kind := range []string{"stringValue", "intValue", "doubleValue"} {
			if value, is := a.Value[kind]; is {
				all[a.Key] = stringOf(value)
			}
		}
	}
	return all, nil
}

// first returns the first attribute that a span has, and its name; the first name where it has none.
func (s *otelSpan) first(names []string) (name, value string) {
	for _, name := range names {
		if value := s.attributes[name]; value != "" {
			return name, value
		}
	}
	return names[0], ""
}

// outcome says how the request of a span was served. vLLM's spans have the time to the first token, in seconds.
func (s *otelSpan) outcome() (Outcome, error) {
	field, text := s.first(otelFirstToken)
	ttft, err := jsonTime(field, json.Number(text), Seconds)
	return outcomeOf(s.failed, time.Duration(ttft), time.Duration(s.end-s.start)), err
}

// isRequest reports whether a span is one of a request to a model.
func (s *otelSpan) isRequest() bool {
	operation := s.attributes[otelOperation]
	_, input := s.first(otelInput)
	return slices.Contains(otelRequests, operation) || operation == "" && input != ""
}

// otelTrees are the sessions of a file.
type otelTrees struct {
	all     []*agentSession
	named   map[string]*agentSession
	byTrace map[string]string // conversations
	blocks  bool              // whether a span tells what was cached, or what the prompt was
	sharer  sharer
	// estimated counts requests whose lengths are those of their texts.
	estimated int
	held      *agentMemory
}

func (p *otelParser) sessions() ([]*agentSession, int32, error) {
	t := &otelTrees{held: p.held, named: map[string]*agentSession{}, byTrace: map[string]string{}, sharer: sharer{Sharing: Sharing{By: SharedByText}}}
	ids := map[[2]string]*otelSpan{}
	for _, s := range p.spans {
		ids[[2]string{s.trace, s.id}] = s
		if _, conversation := s.first(otelConversation); conversation != "" && t.byTrace[s.trace] == "" {
			t.byTrace[s.trace] = conversation
		}
		_, cached := s.first(otelCached)
		_, prompt := s.first(otelPrompt)
		t.blocks = t.blocks || cached != "" || prompt != ""
	}
	for _, s := range p.spans {
		if above := ids[[2]string{s.trace, s.parent}]; above != s && s.parent != "" {
			s.above = above
		}
	}
	slices.SortStableFunc(p.spans, func(a, b *otelSpan) int { return cmp.Compare(a.start, b.start) })
	for _, s := range p.spans {
		if !s.isRequest() {
			continue
		}
		if err := t.request(s); err != nil {
			return nil, 0, atRow(s.value, fmt.Errorf("span %.80q: %w", s.id, err))
		}
	}
	p.estimated = t.estimated
	if !t.blocks {
		return t.all, 0, nil
	}
	return t.all, sharedBlockTokens, nil
}

// request adds the request of a span to its session. Spans come in order of their beginnings.
func (t *otelTrees) request(s *otelSpan) error {
	session, err := t.session(s)
	if err != nil {
		return err
	}
	c := &agentCall{value: s.value, start: s.start, end: s.end}
	if c.outcome, err = s.outcome(); err != nil {
		return err
	}
	_, c.model = s.first(otelModel)
	if err := errors.Join(agentName("gen_ai.conversation.id", session.name), agentName("gen_ai.request.model", c.model)); err != nil {
		return err
	}
	if err := t.lengths(s, c); err != nil {
		return err
	}
	field, text := s.first(otelCached)
	cached, err := jsonTokens(field, json.Number(text), nil, answer)
	if err == nil && cached > c.input {
		err = invalidField(field, "must be at most the %d tokens of the whole input, got %d", c.input, cached)
	}
	if err != nil {
		return err
	}
	if _, prompt := s.first(otelPrompt); prompt != "" {
		rec := record{input: c.input}
		t.sharer.share(&rec, []byte(prompt))
		c.ids = slices.Clone(rec.ids)
	} else if t.blocks {
		t.held.blocks -= session.shareCached(c, cached)
	}
	if err := t.held.take(1, len(c.ids), 0); err != nil {
		return err
	}
	session.calls = append(session.calls, c)
	if session.own != nil {
		session.own.calls = append(session.own.calls, c)
	}
	return nil
}

// lengths reads the lengths of a request and its answer. Without a count, a length is that of the text, if the span has it.
func (t *otelTrees) lengths(s *otelSpan, c *agentCall) (err error) {
	estimated := false
	for _, of := range []struct {
		counts, texts []string
		into          *int32
		check         func(string, uint64) (int32, error)
	}{{otelInput, otelPrompt, &c.input, tokens}, {otelOutput, otelAnswer, &c.output, answer}} {
		field, count := s.first(of.counts)
		if _, text := s.first(of.texts); count == "" && text != "" {
			estimated = true
			count = strconv.Itoa((len(text) + bytesPerToken - 1) / bytesPerToken)
		}
		missing := invalidField(field, "is missing")
		if s.failed && of.into == &c.output {
			missing = nil
		}
		if *of.into, err = jsonTokens(field, json.Number(count), missing, of.check); err != nil {
			return err
		}
	}
	if estimated {
		t.estimated++
	}
	return nil
}

// warning says that lengths are estimated.
func (p *otelParser) warning() string {
	if p.estimated == 0 {
		return ""
	}
	return fmt.Sprintf("%d requests have no numbers of tokens: their lengths are those of their texts, at %d bytes a token", p.estimated, bytesPerToken)
}

// maxSpanDepth bounds the spans above a span.
const maxSpanDepth = 1000

// line returns a span and those above it.
func (s *otelSpan) line() ([]*otelSpan, error) {
	var line []*otelSpan
	for of := s; of != nil; of = of.above {
		if line = append(line, of); len(line) > maxSpanDepth {
			return nil, invalidField("parentSpanId", "leads round in a circle, or through more than %d spans", maxSpanDepth)
		}
	}
	return line, nil
}

// session returns the session of a request: that of its conversation, or that of the agent which another began.
func (t *otelTrees) session(s *otelSpan) (*agentSession, error) {
	line, err := s.line()
	if err != nil {
		return nil, err
	}
	conversation := ""
	var agents []*otelSpan // the innermost one first
	for i, of := range line {
		if _, name := of.first(otelConversation); conversation == "" {
			conversation = name
		}
		if i > 0 && of.attributes[otelOperation] == otelAgent {
			agents = append(agents, of)
		}
	}
	if conversation = cmp.Or(conversation, t.byTrace[s.trace], s.trace); conversation == "" {
		return nil, invalidField("traceId", "is missing, and there is no gen_ai.conversation.id")
	}
	session := t.sessionOf(conversation, nil)
	for i := len(agents) - 2; i >= 0; i-- {
		session = t.sessionOf(session.name+subSession+agents[i].id, session)
	}
	return session, nil
}

// sessionOf returns the session of a name, which its parent waits for.
func (t *otelTrees) sessionOf(name string, parent *agentSession) *agentSession {
	s, known := t.named[name]
	if !known {
		s = &agentSession{name: name, parent: parent}
		t.named[name] = s
		t.all = append(t.all, s)
		if parent != nil {
			s.own = &agentBranch{}
			parent.branches = append(parent.branches, s.own)
		}
	}
	return s
}

// shareCached gives a call the blocks that it has in common with the call before in its session, or, as the first
// one, with all first calls: as many as the file says were cached. Of the rest, it needs those that the next call has: it
// returns how many blocks of the call before are dropped.
func (s *agentSession) shareCached(c *agentCall, cached int32) (dropped int) {
	own := stats.Hash64(stats.HashString(s.name), uint64(len(s.calls)))
	c.shared = int(cached) / sharedBlockTokens
	var before *agentCall
	if n := len(s.calls); n > 0 {
		before = s.calls[n-1]
		dropped = len(before.ids) - min(len(before.ids), max(before.shared, c.shared))
		before.ids = slices.Clone(before.ids[:len(before.ids)-dropped])
	}
	for i := range int(c.input) / sharedBlockTokens {
		switch {
		case i >= c.shared || before != nil && i >= len(before.ids):
			c.ids = append(c.ids, stats.Hash64(own, uint64(i)))
		case before == nil:
			c.ids = append(c.ids, stats.Hash64(stats.HashString("first prompts"), uint64(i)))
		default:
			c.ids = append(c.ids, before.ids[i])
		}
	}
	return dropped
}
