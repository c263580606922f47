// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"encoding/json"
	"math"
	"time"
	"unicode/utf8"
)

// Windtunnel is JSON lines that carry all that a trace can say. The first line is the
// header: windtunnel_trace, which is the version 1, and block_tokens, the size of the
// blocks in tokens, which a trace without blocks leaves out, and begin_ns, which is the
// instant of arrivals at which a run begins, if that is not the first one. Each other line is a
// request: arrival_ns or delay_ns, input_tokens, output_tokens, and, where they apply,
// blocks, session, tenant, class, priority, model, adapter, id and after, and of a request that was
// measured status, ttft_ns, e2e_ns and cached_tokens. blocks are the ids of the
// full blocks that the prompt begins with; a block is shared where all ids up to its own
// are equal. A row with delay_ns comes so long after the end of its session's request
// before it, or after the last end of the requests whose ids are in after.
const Windtunnel Format = "Windtunnel"

const (
	windtunnelHeader      = "windtunnel_trace"
	windtunnelBlockTokens = "block_tokens"
	windtunnelBegin       = "begin_ns"
	windtunnelVersion     = 1

	maxBlockTokens = 1 << 20
)

var windtunnel = format{
	name:      Windtunnel,
	matches:   func(text string) bool { return beginsObject(text, windtunnelHeader) },
	beginning: jsonBeginning,
	expected:  "has a JSON object with " + windtunnelHeader + " on the first line",
	header:    true,
	newParser: func(Options) parser { return (&windtunnelParser{names: map[string]string{}}).parse },
	newWriter: newWindtunnelWriter,
	carries:   traitNames(traits...),
	outcomes:  true,
	times:     Nanoseconds,
	tick:      time.Nanosecond,

	sharedBlocks: true,
}

// The fields of a row. Those of input and output are always there.
const (
	windtunnelArrival  = "arrival_ns"
	windtunnelInput    = "input_tokens"
	windtunnelOutput   = "output_tokens"
	windtunnelBlocks   = "blocks"
	windtunnelSession  = "session"
	windtunnelDelay    = "delay_ns"
	windtunnelTenant   = "tenant"
	windtunnelClass    = "class"
	windtunnelPriority = "priority"
	windtunnelModel    = "model"
	windtunnelAdapter  = "adapter"
	windtunnelID       = "id"
	windtunnelAfter    = "after"
	windtunnelStatus   = "status"
	windtunnelTTFT     = "ttft_ns"
	windtunnelE2E      = "e2e_ns"
	windtunnelCached   = "cached_tokens"
)

var (
	windtunnelHeaderFields = []string{windtunnelHeader, windtunnelBlockTokens, windtunnelBegin}
	windtunnelFields       = []string{
		windtunnelInput, windtunnelOutput, windtunnelArrival, windtunnelDelay, windtunnelBlocks, windtunnelSession,
		windtunnelTenant, windtunnelClass, windtunnelPriority, windtunnelModel, windtunnelAdapter,
		windtunnelID, windtunnelAfter, windtunnelStatus, windtunnelTTFT, windtunnelE2E, windtunnelCached,
	}
)

// windtunnelParser is what is known of a file so far.
type windtunnelParser struct {
	scanner     jsonScanner
	ids, after  []uint64
	blockTokens int32
	begins      bool
	begin       int64
	names       map[string]string // each once
}

func (p *windtunnelParser) parse(rec *record, n int, text []byte) (bool, error) {
	if n == 1 {
		return false, p.header(text)
	}
	s := &p.scanner
	*rec = record{timeField: windtunnelArrival, delayField: windtunnelDelay, outputField: windtunnelOutput, blockTokens: p.blockTokens, begins: p.begins, begin: p.begin}
	p.ids, p.after = p.ids[:0], p.after[:0]
	if err := s.open(text); err != nil {
		return false, err
	}
	for {
		field, more, err := s.field(windtunnelFields)
		if err != nil {
			return false, err
		}
		if !more {
			break
		}
		if err := p.decodeField(rec, windtunnelFields[field]); err != nil {
			return false, err
		}
	}
	if err := s.require(windtunnelFields[:2]); err != nil {
		return false, err
	}
	rec.untimed, rec.ids, rec.after = !s.has(2), p.ids, p.after
	return true, rec.checkOwn()
}

// checkOwn checks a row of a format of our own.
func (r *record) checkOwn() error {
	if r.untimed && !r.delayed {
		return invalidField(windtunnelArrival, "is missing")
	}
	if r.outcome.Status == 0 && r.outcome != (Outcome{}) {
		return invalidField(windtunnelStatus, "is missing, and %s, %s and %s need it", windtunnelTTFT, windtunnelE2E, windtunnelCached)
	}
	if cached := r.outcome.Cached; cached != nil && *cached > r.input {
		return invalidField(windtunnelCached, "must be at most %s, %d, got %d", windtunnelInput, r.input, *cached)
	}
	if len(r.after) > 0 && !r.delayed {
		return invalidField(windtunnelAfter, "needs %s, which counts from the last of their ends", windtunnelDelay)
	}
	if r.begins && !r.untimed && r.at < r.begin {
		return invalidField(windtunnelArrival, "is before %s of the header, %d", windtunnelBegin, r.begin)
	}
	if len(r.ids) == 0 {
		return nil
	}
	if r.blockTokens == 0 {
		return invalidField(windtunnelBlocks, "need their size, as %s together with %s", windtunnelBlockTokens, windtunnelHeader)
	}
	if most := int(r.input / r.blockTokens); len(r.ids) > most {
		return invalidField(windtunnelBlocks, "must have at most %d ids, one for each full block of %d tokens of %s, got %d",
			most, r.blockTokens, windtunnelInput, len(r.ids))
	}
	return nil
}

// header reads the first line.
func (p *windtunnelParser) header(text []byte) error {
	s := &p.scanner
	if err := s.open(text); err != nil {
		return err
	}
	for {
		field, more, err := s.field(windtunnelHeaderFields)
		if err != nil {
			return err
		}
		if !more {
			return s.require(windtunnelHeaderFields[:1])
		}
		name := windtunnelHeaderFields[field]
		if field == 2 {
			if p.begin, err = s.nanoseconds(name); err != nil {
				return err
			}
			p.begins = true
			continue
		}
		value, err := s.integer(name)
		switch {
		case err != nil:
			return err
		case field == 0 && value != windtunnelVersion:
			return invalidField(name, "must be the version %d, got %d", windtunnelVersion, value)
		case field == 1 && (value < 1 || value > maxBlockTokens):
			return invalidField(name, "must be between 1 and %d tokens, got %d", maxBlockTokens, value)
		case field == 1:
			p.blockTokens = int32(value)
		}
	}
}

func (p *windtunnelParser) decodeField(rec *record, name string) (err error) {
	s := &p.scanner
	switch name {
	case windtunnelArrival:
		rec.at, err = s.nanoseconds(name)
	case windtunnelDelay:
		rec.delayed = true
		rec.delay, err = s.duration(name)
	case windtunnelInput:
		rec.input, err = s.tokens(name)
	case windtunnelOutput:
		rec.output, err = s.answer(name)
	case windtunnelBlocks:
		p.ids, err = s.integers(name, p.ids)
	case windtunnelPriority:
		var value int64
		if value, err = s.signed(name); err == nil {
			rec.priority, err = priority(name, value)
		}
	case windtunnelSession:
		rec.session, err = p.name(name)
	case windtunnelTenant:
		rec.tenant, err = p.name(name)
	case windtunnelClass:
		rec.class, err = p.name(name)
	case windtunnelModel:
		rec.model, err = p.name(name)
	case windtunnelAdapter:
		rec.adapter, err = p.name(name)
	case windtunnelID:
		rec.id, err = s.integer(name)
		rec.named = true
	case windtunnelAfter:
		p.after, err = s.integers(name, p.after)
	case windtunnelStatus:
		rec.outcome.Status, err = s.status(name)
	case windtunnelTTFT:
		rec.outcome.TTFT, err = s.duration(name)
	case windtunnelE2E:
		rec.outcome.E2E, err = s.duration(name)
	case windtunnelCached:
		var cached int32
		cached, err = s.answer(name)
		rec.outcome.Cached = &cached
	}
	return err
}

// name reads a name, which may have escapes.
func (p *windtunnelParser) name(field string) (string, error) {
	text, err := p.scanner.text(field)
	if err != nil {
		return "", err
	}
	if name, known := p.names[string(text)]; known {
		return name, nil
	}
	var name string
	if !utf8.Valid(text) || json.Unmarshal(text, &name) != nil {
		return "", invalidField(field, "is not a string of JSON")
	}
	if name == "" || len(name) > maxNameBytes {
		return "", invalidField(field, "must have 1 to %d bytes, got %d", maxNameBytes, len(name))
	}
	p.names[string(text)] = name
	return name, nil
}

// text reads a string as it is written, with its quotes.
func (s *jsonScanner) text(field string) ([]byte, error) {
	if !s.take('"') {
		return nil, invalidField(field, "must be a string")
	}
	for i := 0; i < len(s.rest); i++ {
		switch s.rest[i] {
		case '\\':
			i++
		case '"':
			text := append([]byte{'"'}, s.rest[:i+1]...)
			s.rest = s.rest[i+1:]
			return text, nil
		}
	}
	return nil, invalidField(field, "is a string without its closing quote")
}

// maxArrivalNs keeps times well within those of a simulation.
const maxArrivalNs = maxTimestampMs * 1_000_000

// nanoseconds reads a time in ns.
func (s *jsonScanner) nanoseconds(field string) (int64, error) {
	ns, err := s.integer(field)
	if err != nil {
		return 0, err
	}
	return nanoseconds(field, int64(min(ns, math.MaxInt64)))
}

// duration reads a duration in ns.
func (s *jsonScanner) duration(field string) (time.Duration, error) {
	ns, err := s.nanoseconds(field)
	return time.Duration(ns), err
}

// status reads a code of HTTP.
func (s *jsonScanner) status(field string) (int, error) {
	code, err := s.integer(field)
	if err == nil {
		err = checkStatus(field, int64(code))
	}
	return int(code), err
}

// checkStatus checks a code of HTTP.
func checkStatus(field string, code int64) error {
	if code < 100 || code > 599 {
		return invalidField(field, "must be a status of HTTP from 100 to 599, got %d", code)
	}
	return nil
}

// nanoseconds checks a time in ns.
func nanoseconds(field string, ns int64) (int64, error) {
	switch {
	case ns < 0:
		return 0, invalidField(field, "must not be negative, got %d", ns)
	case ns > maxArrivalNs:
		return 0, invalidField(field, "must be at most %d ns, got %d", int64(maxArrivalNs), ns)
	}
	return ns, nil
}

// priority checks a priority.
func priority(field string, value int64) (*int, error) {
	if value < -maxPriority || value > maxPriority {
		return nil, invalidField(field, "must be between %d and %d, got %d", -maxPriority, maxPriority, value)
	}
	p := int(value)
	return &p, nil
}

// newWindtunnelWriter writes rows in the format Windtunnel.
func newWindtunnelWriter(blockTokens int32) rowWriter {
	return rowWriter{append: func(line []byte, r *record, n int) []byte {
		if n == 0 {
			line = appendWindtunnelHeader(line, blockTokens, r.begins)
		}
		o := jsonObject(line)
		if r.delayed {
			o = o.integer(windtunnelDelay, int64(r.delay))
		} else {
			o = o.integer(windtunnelArrival, r.at)
		}
		o = o.integer(windtunnelInput, int64(r.input)).integer(windtunnelOutput, int64(r.output))
		if len(r.ids) > 0 {
			o = o.integers(windtunnelBlocks, r.ids)
		}
		o = o.name(windtunnelSession, r.session).name(windtunnelTenant, r.tenant).name(windtunnelClass, r.class)
		if r.priority != nil {
			o = o.integer(windtunnelPriority, int64(*r.priority))
		}
		o = o.name(windtunnelModel, r.model).name(windtunnelAdapter, r.adapter)
		if r.named {
			o = o.unsigned(windtunnelID, r.id)
		}
		if len(r.after) > 0 {
			o = o.integers(windtunnelAfter, r.after)
		}
		if s := r.outcome; s.Status != 0 {
			o = o.integer(windtunnelStatus, int64(s.Status)).integer(windtunnelTTFT, int64(s.TTFT)).integer(windtunnelE2E, int64(s.E2E))
			if s.Cached != nil {
				o = o.integer(windtunnelCached, int64(*s.Cached))
			}
		}
		return o.end()
	}}
}

// appendWindtunnelHeader appends the first line. Arrivals count from the beginning of a run,
// if the rows say when it begins.
func appendWindtunnelHeader(line []byte, blockTokens int32, begins bool) []byte {
	o := jsonObject(line).integer(windtunnelHeader, windtunnelVersion)
	if blockTokens > 0 {
		o = o.integer(windtunnelBlockTokens, int64(blockTokens))
	}
	if begins {
		o = o.integer(windtunnelBegin, 0)
	}
	return o.end()
}
