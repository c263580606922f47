// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"fmt"
	"io"
	"slices"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/servegen"
)

// Trace is recorded traffic. It does not change after reading, so any number
// of sources may replay it at once. The zero Trace has no requests.
type Trace struct {
	digest string
	rows   []row
	// blocks holds the sources of the rows' full blocks, row after row. The
	// partial last block of a prompt is not there: its text is taken to be
	// the row's own, since an engine cannot reuse it.
	blocks []uint64
	// blockTokens is the size of such a block; 0 where the format has none.
	blockTokens int32
	columns     attributeColumns
	failed      int
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
// tell. Arrivals are counted from the first row's. The first fault ends the
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

// read is ReadWith for a format.
func (f format) read(o Options, r io.Reader, name string) (*Trace, error) {
	b := newTraceBuilder(f, o)
	digest, err := readLines(r, b.line)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(b.trace.rows) == 0 {
		return nil, fmt.Errorf("%s: a trace without requests", name)
	}
	b.trace.digest = digest
	b.trace.failed = b.rows.failed
	if b.rows.sorts {
		b.trace.sort()
	}
	b.trace.rows = slices.Clip(b.trace.rows)
	b.trace.blocks = slices.Clip(b.trace.blocks)
	return b.trace, nil
}

// Digest returns the SHA-256 of the trace's text, decompressed, in hex.
func (t *Trace) Digest() string { return t.digest }

// Requests returns the number of requests; of a trace without rows, how many a seed draws
// on average, and at least 1.
func (t *Trace) Requests() int {
	if t.described != nil {
		return max(1, int(t.described.Expected()))
	}
	return len(t.rows)
}

// Longer counts the requests among the first n that have, prompt and answer
// together, more than so many tokens; of a trace without rows, in one draw.
func (t *Trace) Longer(tokens, n int) int {
	if t.described != nil {
		t = t.drawn(n)
	}
	longer := 0
	for _, r := range t.rows[:min(n, len(t.rows))] {
		if int(r.input)+int(r.output) > tokens {
			longer++
		}
	}
	return longer
}

// blocksOf returns the sources of row i's full blocks.
func (t *Trace) blocksOf(i int) []uint64 {
	start := 0
	if i > 0 {
		start = t.rows[i-1].blocksEnd
	}
	return t.blocks[start:t.rows[i].blocksEnd]
}

// prompt returns row i's prompt: its full blocks, then a tail of its own.
func (t *Trace) prompt(i int, memory *prompt.Slab) prompt.Prompt {
	blocks := t.blocksOf(i)
	tail := t.tail(i)
	n := len(blocks)
	if tail > 0 {
		n++
	}
	text := memory.Take(n)
	for j, source := range blocks {
		text[j] = prompt.Extent{Source: source, Tokens: t.blockTokens}
	}
	if tail > 0 {
		text[n-1] = prompt.Extent{Source: workload.RecordedTail(i), Tokens: tail}
	}
	return prompt.Prompt{Extents: text}
}

// tail is how many tokens of row i's prompt follow its full blocks.
func (t *Trace) tail(i int) int32 {
	return t.rows[i].input - int32(len(t.blocksOf(i)))*t.blockTokens
}
