// SPDX-License-Identifier: Apache-2.0

package trace

import "time"

// Vidur is the CSV that Vidur and splitwise-sim replay: arrived_at in s from any instant,
// num_prefill_tokens, num_decode_tokens. Other columns are not read. It says nothing of
// prompts, so none shares a prefix with another.
const Vidur Format = "Vidur"

var vidur = format{
	name:      Vidur,
	matches:   func(text string) bool { return firstLineHas(text, vidurInput, vidurOutput) },
	beginning: 256,
	expected:  "is CSV with the columns " + vidurArrival + ", " + vidurInput + " and " + vidurOutput,
	header:    true,
	newParser: func(Options) parser {
		return newLengthsTable(Seconds, vidurArrival, vidurInput, vidurOutput)
	},
	newWriter: newVidurWriter,
	times:     Seconds,
	tick:      time.Nanosecond,
}

// The columns of a Vidur trace.
const (
	vidurArrival = "arrived_at"
	vidurInput   = "num_prefill_tokens"
	vidurOutput  = "num_decode_tokens"
)
