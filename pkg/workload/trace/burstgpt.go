// SPDX-License-Identifier: Apache-2.0

package trace

import "time"

// BurstGPT is the CSV of the BurstGPT traces: Timestamp in s, Request tokens and Response
// tokens, Total tokens, and in some files a Session ID. A row with 0 response tokens is a
// request that failed: Options.ZeroOutput says what becomes of it. The columns Model, Log Type
// and Elapsed time tell of the service that was recorded and are not read. It says nothing of
// prompts, so none shares a prefix with another.
const BurstGPT Format = "BurstGPT"

var burstGPT = format{
	name:      BurstGPT,
	matches:   func(text string) bool { return firstLineHas(text, burstGPTInput, burstGPTOutput) },
	beginning: 256,
	expected:  "is CSV with the columns " + burstGPTTime + ", " + burstGPTInput + ", " + burstGPTOutput + " and " + burstGPTTotal,
	header:    true,
	newParser: newBurstGPTParser,
	newWriter: newBurstGPTWriter,
	carries:   traitNames(sessionTrait),
	times:     Seconds,
	tick:      time.Nanosecond,
}

// The columns of a BurstGPT trace.
const (
	burstGPTTime    = "Timestamp"
	burstGPTInput   = "Request tokens"
	burstGPTOutput  = "Response tokens"
	burstGPTTotal   = "Total tokens"
	burstGPTSession = "Session ID"
)

func newBurstGPTParser(Options) parser {
	table := newCSVTable(',', burstGPTTime, burstGPTInput, burstGPTOutput, burstGPTTotal, burstGPTSession)
	table.optional = []string{burstGPTSession}
	clock := &clock{field: burstGPTTime, format: Seconds}
	return func(rec *record, n int, text []byte) (bool, error) {
		*rec = record{timeField: burstGPTTime, outputField: burstGPTOutput}
		if ok, err := table.line(n, text); err != nil || !ok {
			return false, err
		}
		var err error
		if rec.at, err = clock.at(table.field(0)); err != nil {
			return false, err
		}
		var counts [3]uint64
		for i := range counts {
			if counts[i], err = table.count(1 + i); err != nil {
				return false, err
			}
		}
		if counts[2]-counts[1] != counts[0] {
			return false, invalidField(burstGPTTotal, "must be the sum of %s and %s, %d, got %d",
				burstGPTInput, burstGPTOutput, counts[0]+counts[1], counts[2])
		}
		if rec.input, err = table.tokens(1); err != nil {
			return false, err
		}
		if rec.output, err = table.answer(); err != nil {
			return false, err
		}
		rec.session, err = table.name(4)
		return err == nil, err
	}
}
