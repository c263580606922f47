// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"errors"
	"fmt"
	"io"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// An Opener opens the file of a trace, at its beginning, as often as it is called.
type Opener func() (io.ReadCloser, error)

// DefaultHeldBytes is how much memory a trace may take before Open leaves it in its file,
// unless the options say otherwise.
const DefaultHeldBytes = 8 << 20

// file is where the rows of a trace are that is not in memory.
type file struct {
	format  format
	options Options
	open    Opener
	name    string // for errors
}

// Open reads a whole trace as [ReadWith] does. A trace that would take more memory than
// [Options.HeldBytes] and [Options.MemoryBytes] stays in its file: each replay reads the
// file from its beginning as it goes. Such a trace takes memory for its sessions and
// labels only. Traces without rows, sorted traces, and those whose rows wait for answers
// are always in memory.
func Open(format Format, o Options, open Opener, name string) (*Trace, error) {
	f, err := format.declaration()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if !f.describes && o.Order != Sort {
		t, err := f.openRows(o, open, name)
		if !errors.Is(err, errWaits) {
			return t, err
		}
	}
	r, err := open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t, err := ReadWith(format, o, r, name)
	return t, errors.Join(err, r.Close())
}

// openRows is Open for a format with rows, none of which waits for another: otherwise the
// error is errWaits where the trace is too large.
func (f format) openRows(o Options, open Opener, name string) (*Trace, error) {
	if errs := o.Validate(f.name, nil); len(errs) > 0 {
		return nil, fmt.Errorf("%s: %w", name, errs.ToAggregate())
	}
	r, err := open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	b := newTraceBuilder(f, o)
	b.heldBytes = o.HeldBytes
	if b.heldBytes == 0 {
		b.heldBytes = DefaultHeldBytes
	}
	if o.MemoryBytes > 0 {
		b.heldBytes = min(b.heldBytes, o.MemoryBytes)
	}
	t, err := b.read(r, name)
	if err = errors.Join(err, r.Close()); err != nil {
		return nil, err
	}
	if b.left {
		t.file = &file{format: f, options: o, open: open, name: name}
	}
	return t, nil
}

// fileCursor is the cursor of rows in a text.
type fileCursor struct {
	name string // for errors
	open Opener
	// wantDigest is that of the text where the text was read before; empty for any.
	wantDigest string

	in          io.Closer // nil before the first row and after the last one
	lines       *lineReader
	rows        *rowReader
	columns     columnsBuilder
	blockTokens int32
	memory      blockSlab
	read        int // rows
	ended       bool
	err         error
}

// newCursor returns a cursor of the file.
func (f *file) newCursor(wantDigest string) *fileCursor {
	c := &fileCursor{
		name: f.name, open: f.open, wantDigest: wantDigest,
		columns: columnsBuilder{columns: &attributeColumns{}}, blockTokens: f.format.blockTokens,
	}
	c.rows = newRowReader(f.format, f.options, c.columns.hasSession)
	return c
}

func (c *fileCursor) next(e *entry) bool {
	if c.ended {
		return false
	}
	if c.err = c.advance(e); c.err == nil && !c.ended {
		return true
	}
	c.err = errors.Join(c.err, c.finish())
	return false
}

// finish closes the file.
func (c *fileCursor) finish() error {
	c.ended = true
	if c.in == nil {
		return nil
	}
	in := c.in
	c.in = nil
	return in.Close()
}

// advance reads the next row, or notes that there is none.
func (c *fileCursor) advance(e *entry) error {
	if c.lines == nil {
		if err := c.begin(); err != nil {
			return err
		}
	}
	for {
		rec, err := c.nextRecord()
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if c.ended {
			return nil
		}
		if rec != nil {
			c.fill(e, rec)
			return nil
		}
	}
}

func (c *fileCursor) begin() error {
	in, err := c.open()
	if err == nil {
		c.in = in
		c.lines, err = newLineReader(in)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	return nil
}

// nextRecord reads the next line, which may hold no row. After the last line, the text must
// be the one that the trace was first read from.
func (c *fileCursor) nextRecord() (*record, error) {
	text, more, err := c.lines.next()
	if err != nil {
		return nil, err
	}
	if more {
		rec, err := c.rows.next(c.lines.n, text)
		return rec, c.lines.at(err)
	}
	c.ended = true
	if c.wantDigest != "" && c.lines.digest() != c.wantDigest {
		return nil, errors.New("the file has changed since it was first read")
	}
	return nil, nil
}

// fill makes an entry of a row.
func (c *fileCursor) fill(e *entry, rec *record) {
	*e = entry{
		index: c.read, arrival: simtime.Time(c.rows.at - c.rows.first), input: rec.input, output: rec.output,
		blocks: c.keep(rec.ids), set: c.columns.setOf(rec.attributes), session: c.columns.sessionOf(rec.session),
		waits: rec.delayed, delay: rec.delay,
	}
	if rec.blockTokens > 0 {
		c.blockTokens = rec.blockTokens
	}
	c.read++
}

// keep returns the sources of blocks, in memory of their own.
func (c *fileCursor) keep(ids []uint64) []uint64 {
	kept := c.memory.take(len(ids))
	for i, id := range ids {
		kept[i] = workload.RecordedBlock(id)
	}
	return kept
}

// close implements cursor.
func (c *fileCursor) close() error {
	return errors.Join(c.err, c.finish())
}
