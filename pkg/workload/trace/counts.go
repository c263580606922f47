// SPDX-License-Identifier: Apache-2.0

package trace

import "windtunnel.dev/windtunnel/pkg/simtime"

// Counts are how many rows are not sent as they were recorded.
type Counts struct {
	// Skipped are too long, or wait for such a row, and are left out. Clipped were too long.
	Skipped, Clipped int
	// SkippedZeroOutput have an answer of 0 tokens, or wait for such a row, and are left out.
	// PrefillOnly had one, and have one of 1 token.
	SkippedZeroOutput, PrefillOnly int
}

// special says in what a row is not sent as it was recorded.
type special int

const (
	asRecorded special = iota
	skippedLong
	clippedLong
	skippedZeroOutput
	prefillOnly
	specials
)

// tally counts special rows by what they are, and marks has their times in ns.
type (
	tally [specials]int
	marks [specials][]int64
)

// counts returns the counts of what rows are.
func (t tally) counts() Counts {
	return Counts{
		Skipped: t[skippedLong], Clipped: t[clippedLong],
		SkippedZeroOutput: t[skippedZeroOutput], PrefillOnly: t[prefillOnly],
	}
}

// Counts returns those of the whole trace.
func (t *Trace) Counts() Counts { return t.counts }

// CountsUntil returns the counts of the rows that a replay reaches before a time, those of each
// round of a loop. An error is one of reading the trace's file again, as far as the replay does.
func (t *Trace) CountsUntil(r Replay, until simtime.Time) (Counts, error) {
	if t.counts == (Counts{}) || r.Loop == "" && t.arrives(t.end, r.RateScale) < until {
		return t.counts, nil
	}
	m := &t.marks
	if t.file != nil {
		m = &marks{}
		rows := t.file.newCursor(t.digest)
		rows.marks = m
		for e := (entry{}); rows.next(&e) && t.arrives(e.arrival, r.RateScale) < until; {
		}
		if err := rows.close(); err != nil {
			return Counts{}, err
		}
		m.shift(rows.rows.first)
	}
	var sums tally
	for what := range m {
		for _, at := range m[what] {
			sums[what] += t.timesBefore(simtime.Time(at), r, until)
		}
	}
	return sums.counts(), nil
}

// timesBefore returns how often a row arrives before a time.
func (t *Trace) timesBefore(at simtime.Time, r Replay, until simtime.Time) int {
	n := 0
	for t.arrives(at+simtime.Time(n)*simtime.Time(t.Period()), r.RateScale) < until {
		n++
		if r.Loop == "" || t.Period() == 0 {
			break
		}
	}
	return n
}

// shift counts times from the first row on that is sent, as arrivals are. Rows before it are
// at 0.
func (m *marks) shift(first int64) {
	for what := range m {
		for i, at := range m[what] {
			m[what][i] = max(0, at-first)
		}
	}
}

// bytes is about what the marks take of memory.
func (m *marks) bytes() int64 {
	n := 0
	for what := range m {
		n += len(m[what])
	}
	return int64(n) * 8
}
