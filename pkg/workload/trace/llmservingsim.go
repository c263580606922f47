// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"strings"
	"time"
)

// LLMServingSim is JSON lines: timestamp_ns in ns, input_length and output_length in
// tokens, hash_ids of chained blocks of 16 tokens, full blocks only.
const LLMServingSim Format = "LLMServingSim"

const llmServingSimBlockTokens = 16

var llmServingSim = format{
	name:        LLMServingSim,
	matches:     func(text string) bool { return beginsObject(text, llmServingSimTimestamp) },
	beginning:   jsonBeginning,
	expected:    "has a JSON object with timestamp_ns, input_length, output_length and hash_ids on each line",
	blockTokens: llmServingSimBlockTokens,
	newParser:   newLLMServingSimParser,
	newWriter:   newLLMServingSimWriter,
	carries:     traitNames(blocksTrait),
	times:       Nanoseconds,
	tick:        time.Nanosecond,
}

const llmServingSimTimestamp = "timestamp_ns"

var llmServingSimFields = []string{llmServingSimTimestamp, "input_length", "output_length", "hash_ids"}

// jsonBeginning is how much of a file of JSON lines shows its format.
const jsonBeginning = 256

// beginsObject reports whether a file begins with a JSON object that has a field in its
// first bytes; any object where field is empty.
func beginsObject(text, field string) bool {
	return strings.HasPrefix(strings.TrimLeft(text, " "), "{") && (field == "" || strings.Contains(text, `"`+field+`"`))
}

func newLLMServingSimParser(Options) parser {
	var s jsonScanner
	var ids []uint64
	return func(rec *record, _ int, text []byte) (bool, error) {
		*rec = record{timeField: llmServingSimTimestamp, outputField: llmServingSimFields[2]}
		if err := s.open(text); err != nil {
			return false, err
		}
		for {
			field, more, err := s.field(llmServingSimFields)
			switch {
			case err != nil:
			case !more:
				err = s.require(llmServingSimFields)
				if err == nil {
					err = fullBlocks(rec.input, llmServingSimBlockTokens, len(ids))
				}
				rec.ids = ids
				return err == nil, err
			case field == 0:
				rec.at, err = decimalNs(llmServingSimTimestamp, s.decimal(), Nanoseconds)
			case field == 1:
				rec.input, err = s.tokens(llmServingSimFields[field])
			case field == 2:
				rec.output, err = s.answer(llmServingSimFields[field])
			default:
				ids, err = s.integers(llmServingSimFields[field], ids[:0])
			}
			if err != nil {
				return false, err
			}
		}
	}
}

// fullBlocks checks that there is an id for each full block of a prompt.
func fullBlocks(input, blockTokens int32, ids int) error {
	if want := int(input / blockTokens); ids != want {
		return invalidField("hash_ids", "must have %d ids, one for each full block of %d tokens of input_length, got %d", want, blockTokens, ids)
	}
	return nil
}
