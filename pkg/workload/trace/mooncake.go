// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"cmp"
	"time"
)

// Mooncake is JSON lines: timestamp in ms, input_length and output_length in
// tokens, hash_ids of chained blocks of MooncakeBlockTokens tokens with the
// partial last one included (the FAST'25 release). A row may have a session_id. A
// later row of a session may have a delay in ms instead of a timestamp: its request
// comes so long after the end of the session's request before it.
const Mooncake Format = "Mooncake"

// MooncakeBlockTokens is the size of a Mooncake trace's blocks.
const MooncakeBlockTokens = 512

var mooncake = format{
	name: Mooncake,
	matches: func(text string) bool {
		return beginsObject(text, "") && !beginsObject(text, llmServingSimTimestamp) && !beginsObject(text, bailianChat) &&
			!beginsObject(text, windtunnelHeader) && !isOfAgents(text)
	},
	beginning:   agentBeginning,
	expected:    "has a JSON object with timestamp, input_length, output_length and hash_ids on each line",
	blockTokens: MooncakeBlockTokens,
	newParser:   newMooncakeParser,
	newWriter:   newMooncakeWriter,
	carries:     traitNames(blocksTrait, sessionTrait, delayTrait),
	times:       Milliseconds,
	tick:        time.Millisecond,
}

// maxTimestampMs keeps milliseconds, as nanoseconds, within 64 bits.
const maxTimestampMs = 9_000_000_000_000

// The fields of a Mooncake row.
const (
	mooncakeTimestamp = "timestamp"
	mooncakeInput     = "input_length"
	mooncakeOutput    = "output_length"
	mooncakeHashIDs   = "hash_ids"
	mooncakeSession   = "session_id"
	mooncakeDelay     = "delay"
)

var mooncakeFields = [...]string{mooncakeTimestamp, mooncakeInput, mooncakeOutput, mooncakeHashIDs, mooncakeSession, mooncakeDelay}

// mooncakeRow is a row as it is written. Rows have exactly these fields.
type mooncakeRow struct {
	timestamp, input, output uint64
	ids                      []uint64
	session                  string
	delay                    uint64
	// untimed says that there is no timestamp, delayed that there is a delay.
	untimed, delayed bool
}

// newMooncakeParser returns the parser of a file.
func newMooncakeParser(o Options) parser {
	blockTokens := cmp.Or(o.BlockTokens, MooncakeBlockTokens)
	return func(rec *record, _ int, text []byte) (bool, error) { return parseMooncake(rec, text, blockTokens) }
}

// parseMooncake reads a row with blocks of a number of tokens.
func parseMooncake(rec *record, text []byte, blockTokens int) (bool, error) {
	r := mooncakeRow{ids: rec.ids[:0]}
	if err := decodeMooncake(&r, text); err != nil {
		return false, err
	}
	if r.timestamp > maxTimestampMs {
		return false, invalidField(mooncakeTimestamp, "must be at most %d ms, got %d", int64(maxTimestampMs), r.timestamp)
	}
	input, err := tokens(mooncakeInput, r.input)
	if err != nil {
		return false, err
	}
	output, err := answer(mooncakeOutput, r.output)
	if err != nil {
		return false, err
	}
	full := int(input) / blockTokens
	if want := (int(input) + blockTokens - 1) / blockTokens; len(r.ids) != want {
		return false, invalidField(mooncakeHashIDs, "must have %d ids, one for each block of %d tokens of %s, got %d",
			want, blockTokens, mooncakeInput, len(r.ids))
	}
	if r.delay > maxTimestampMs {
		return false, invalidField(mooncakeDelay, "must be at most %d ms, got %d", int64(maxTimestampMs), r.delay)
	}
	*rec = record{
		timeField:   mooncakeTimestamp,
		untimed:     r.untimed,
		at:          int64(r.timestamp) * 1e6,
		delayField:  mooncakeDelay,
		outputField: mooncakeOutput,
		delayed:     r.delayed,
		delay:       time.Duration(r.delay) * time.Millisecond,
		input:       input,
		output:      output,
		ids:         r.ids[:full],
		blockTokens: int32(blockTokens),
		session:     r.session,
	}
	return true, nil
}

// decodeMooncake reads one row of JSON.
func decodeMooncake(r *mooncakeRow, text []byte) error {
	var s jsonScanner
	if err := s.open(text); err != nil {
		return err
	}
	for {
		field, more, err := s.field(mooncakeFields[:])
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if err := r.decodeField(&s, mooncakeFields[field]); err != nil {
			return err
		}
	}
	r.untimed, r.delayed = !s.has(0), s.has(len(mooncakeFields)-1)
	for field, name := range mooncakeFields[:4] {
		if !s.has(field) && (field > 0 || !r.delayed) {
			return invalidField(name, "is missing")
		}
	}
	return nil
}

func (r *mooncakeRow) decodeField(s *jsonScanner, field string) (err error) {
	switch field {
	case mooncakeTimestamp:
		r.timestamp, err = s.integer(field)
	case mooncakeInput:
		r.input, err = s.integer(field)
	case mooncakeOutput:
		r.output, err = s.integer(field)
	case mooncakeHashIDs:
		r.ids, err = s.integers(field, r.ids)
	case mooncakeSession:
		r.session, err = s.name(field)
	case mooncakeDelay:
		r.delay, err = s.integer(field)
	}
	return err
}
