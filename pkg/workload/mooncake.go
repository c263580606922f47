// SPDX-License-Identifier: Apache-2.0

package workload

import "strings"

// Mooncake is JSON lines: timestamp in ms, input_length and output_length in
// tokens, hash_ids of chained blocks of MooncakeBlockTokens tokens with the
// partial last one included (the FAST'25 release).
const Mooncake Format = "Mooncake"

// MooncakeBlockTokens is the size of a Mooncake trace's blocks.
const MooncakeBlockTokens = 512

var mooncake = format{
	name:        Mooncake,
	matches:     func(text string) bool { return strings.HasPrefix(strings.TrimLeft(text, " "), "{") },
	beginning:   32, // spaces may precede the brace
	expected:    "has a JSON object with timestamp, input_length, output_length and hash_ids on each line",
	blockTokens: MooncakeBlockTokens,
	parse:       parseMooncake,
}

// maxTimestampMs keeps milliseconds, as nanoseconds, within 64 bits.
const maxTimestampMs = 9_000_000_000_000

// The fields of a Mooncake row.
const (
	mooncakeTimestamp = "timestamp"
	mooncakeInput     = "input_length"
	mooncakeOutput    = "output_length"
	mooncakeHashIDs   = "hash_ids"
)

var mooncakeFields = [...]string{mooncakeTimestamp, mooncakeInput, mooncakeOutput, mooncakeHashIDs}

// mooncakeRow is a row as it is written. Rows have exactly these fields.
type mooncakeRow struct {
	timestamp, input, output uint64
	ids                      []uint64
}

// parseMooncake is the parser of the Mooncake format.
func parseMooncake(rec *record, _ int, text []byte) (bool, error) {
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
	output, err := tokens(mooncakeOutput, r.output)
	if err != nil {
		return false, err
	}
	full := int(input) / MooncakeBlockTokens
	if want := (int(input) + MooncakeBlockTokens - 1) / MooncakeBlockTokens; len(r.ids) != want {
		return false, invalidField(mooncakeHashIDs, "must have %d ids, one for each block of %d tokens of %s, got %d",
			want, MooncakeBlockTokens, mooncakeInput, len(r.ids))
	}
	*rec = record{
		timeField: mooncakeTimestamp,
		at:        int64(r.timestamp) * 1e6,
		input:     input,
		output:    output,
		ids:       r.ids[:full],
	}
	return true, nil
}
