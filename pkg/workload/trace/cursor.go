// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// entry is a row of a trace with all that belongs to it. Its blocks do not change later.
type entry struct {
	index         int          // of the row, from 0
	arrival       simtime.Time // since the first row
	input, output int32        // tokens
	blocks        []uint64     // sources of the full blocks that the prompt begins with
	set           int32        // index into attributeColumns.sets
	session       int32        // from 1 in order of first mention; 0 is none
	// waits says that the row comes a delay after the end of the row before it in its
	// session.
	waits bool
	delay time.Duration
}

// tail is how many tokens of the prompt follow its full blocks.
func (e *entry) tail(blockTokens int32) int32 { return e.input - int32(len(e.blocks))*blockTokens }

// prompt returns the row's prompt: its full blocks, then a tail of its own.
func (e *entry) prompt(blockTokens int32, memory *prompt.Slab) prompt.Prompt {
	tail := e.tail(blockTokens)
	n := len(e.blocks)
	if tail > 0 {
		n++
	}
	text := memory.Take(n)
	for j, source := range e.blocks {
		text[j] = prompt.Extent{Source: source, Tokens: blockTokens}
	}
	if tail > 0 {
		text[n-1] = prompt.Extent{Source: workload.RecordedTail(e.index), Tokens: tail}
	}
	return prompt.Prompt{Extents: text}
}

// cursor goes through the rows of a trace in order.
type cursor interface {
	// next fills e with the next row. It returns false after the last one, and after an
	// error.
	next(e *entry) bool
	// close gives back what the cursor holds open, and returns the error that ended it.
	close() error
}

// cursor returns one at the first row.
func (t *Trace) cursor() cursor {
	switch {
	case t.described != nil:
		return &describedCursor{source: t.described.Source("", 1)}
	case t.file != nil:
		return t.file.newCursor(t.digest)
	default:
		return &heldCursor{trace: t}
	}
}

// each calls do with every row, until do returns false.
func (t *Trace) each(do func(e *entry) bool) error {
	rows := t.cursor()
	var e entry
	for rows.next(&e) && do(&e) {
	}
	return rows.close()
}

// heldCursor is the cursor of rows in memory.
type heldCursor struct {
	trace *Trace
	row   int
}

func (c *heldCursor) next(e *entry) bool {
	if c.row >= len(c.trace.rows) {
		return false
	}
	c.trace.fill(e, c.row)
	c.row++
	return true
}

func (c *heldCursor) close() error { return nil }

// describedCursor is the cursor of what a trace without rows draws under the seed 1.
type describedCursor struct {
	source workload.Source
	drawn  int
}

func (c *describedCursor) next(e *entry) bool {
	r, ok := c.source.Next()
	if !ok {
		return false
	}
	*e = entry{index: c.drawn, arrival: r.Arrival, input: int32(r.Prompt.Tokens()), output: int32(r.OutputTokens)}
	c.drawn++
	return true
}

func (c *describedCursor) close() error { return nil }
