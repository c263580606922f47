// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"fmt"
	"io"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload/servegen"
)

// Trace is recorded traffic. It does not change after reading, so any number
// of sources may replay it at once. The zero Trace has no requests.
type Trace struct {
	digest string
	// requests counts the rows, and longestInput is the longest prompt in tokens.
	requests     int
	longestInput int32
	// unnamedModels says that some rows do not name the base model that they ask for.
	unnamedModels bool
	// file, if set, has the rows; otherwise they are in memory.
	file *file
	rows []row
	// blocks holds the sources of the rows' full blocks, row after row. The
	// partial last block of a prompt is not there: its text is taken to be
	// the row's own, since an engine cannot reuse it.
	blocks []uint64
	shared sharedBlocks
	trees  trees
	// blockTokens is the size of such a block; 0 where the format has none.
	blockTokens int32
	columns     attributeColumns
	// counts are of rows that are not sent as they were recorded. marks has their times where
	// the rows are in memory.
	counts Counts
	marks  marks
	// warning says what is odd about the times of the file; empty for nothing.
	warning string
	// lead is how long after the beginning of a run the first row arrives.
	lead simtime.Time
	// span is from the first recorded time to the last, times counts the distinct ones,
	// and sessions the sessions. end is the span to the last row that is selected, sent or not.
	span     simtime.Time
	end      simtime.Time
	times    int
	sessions int
	// described is what a trace says of its requests that has no rows; nil for others.
	described *servegen.Data
}

// row is one recorded request.
type row struct {
	arrival       simtime.Time // since the first row
	input, output int32        // tokens
	blocksEnd     int          // in Trace.blocks; where the next row's begin
}

// Read reads a whole trace, gzip-compressed or not: the first bytes
// tell. Arrivals are counted from the first row's, unless the text says when a run begins. The first fault ends the
// reading with an error "name: row N: field: what", and no trace; rows are
// lines of the text, counted from 1.
func Read(format Format, r io.Reader, name string) (*Trace, error) {
	return ReadWith(format, Options{}, r, name)
}

// ReadWith is Read with options. What [Options.Validate] has to say of them is an error.
func ReadWith(format Format, o Options, r io.Reader, name string) (*Trace, error) {
	f, err := format.declaration()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if errs := o.Validate(format, nil); len(errs) > 0 {
		return nil, fmt.Errorf("%s: %w", name, errs.ToAggregate())
	}
	if !f.describes {
		return f.read(o, r, name)
	}
	t, err := readDescription(o, r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// read is ReadWith for a format with rows.
func (f format) read(o Options, r io.Reader, name string) (*Trace, error) {
	b, err := newTraceBuilder(f, o, r, name)
	if err != nil {
		return nil, err
	}
	return b.read()
}

// Digest returns the SHA-256 of the trace's text, decompressed, in hex.
func (t *Trace) Digest() string { return t.digest }

// Requests returns the number of requests; of a trace without rows, how many a seed draws
// on average, and at least 1.
func (t *Trace) Requests() int {
	if t.described != nil {
		return max(1, int(t.described.Expected()))
	}
	return t.requests
}

// Warning says what is odd about the times of the trace, such as another unit than the one that
// they are read in; "" for nothing.
func (t *Trace) Warning() string { return t.warning }

// BlockTokens returns the size of the trace's blocks in tokens; 0 where it has none.
func (t *Trace) BlockTokens() int { return int(t.blockTokens) }

// IsHeld reports whether the trace is in memory. Otherwise each replay reads its file.
func (t *Trace) IsHeld() bool { return t.file == nil }

// LongestInput returns the length of the longest prompt in tokens; of a trace without rows,
// in one draw.
func (t *Trace) LongestInput() int {
	longest := t.longestInput
	if t.described != nil {
		_ = t.each(func(e *entry) bool { // which reads no file
			longest = max(longest, e.input)
			return true
		})
	}
	return int(longest)
}

// Longer counts the requests that have, prompt and answer together, more than a number of tokens,
// of those that a replay sends before a time, in its first round; of a trace without rows, in
// one draw. An error is one of reading the trace's file again.
func (t *Trace) Longer(tokens int, r Replay, until simtime.Time) (longer, of int, err error) {
	err = t.each(func(e *entry) bool {
		if r.MaxRequests > 0 && e.index >= r.MaxRequests || scaled(e.arrival, r.RateScale) >= until {
			return false
		}
		of++
		if int(e.input)+int(e.output) > tokens {
			longer++
		}
		return true
	})
	return longer, of, err
}

// fill fills e with row i, which is in memory.
func (t *Trace) fill(e *entry, i int) {
	start := 0
	if i > 0 {
		start = t.rows[i-1].blocksEnd
	}
	row := &t.rows[i]
	*e = entry{
		index: i, arrival: row.arrival, input: row.input, output: row.output, blocks: t.blocks[start:row.blocksEnd],
		set: t.columns.setOf(i), session: t.columns.sessionOf(i),
	}
	e.delay, e.waits = t.columns.delayOf(i)
}
