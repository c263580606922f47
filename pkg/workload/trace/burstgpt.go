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
		if ok, err := table.request(rec, n, text, clock); err != nil || !ok {
			return false, err
		}
		total, err := table.count(3)
		if err != nil {
			return false, err
		}
		if sum := uint64(rec.input) + uint64(rec.output); total != sum {
			return false, invalidField(burstGPTTotal, "must be the sum of %s and %s, %d, got %d", burstGPTInput, burstGPTOutput, sum, total)
		}
		rec.session, err = table.name(4)
		return err == nil, err
	}
}
