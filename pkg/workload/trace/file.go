// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// An Opener opens the file of a trace, at its beginning, as often as it is called.
type Opener func() (io.ReadCloser, error)

// defaultHeldBytes is how much memory a trace may take before Open leaves it in its file,
// unless the options say otherwise.
const defaultHeldBytes = 8 << 20

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
	b, err := newTraceBuilder(f, o, r, name)
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	b.heldBytes = cmp.Or(o.HeldBytes, defaultHeldBytes)
	if o.MemoryBytes > 0 {
		b.heldBytes = min(b.heldBytes, o.MemoryBytes)
	}
	t, err := b.read()
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
	*file
	// wantDigest is that of the text where the text was read before; empty for any.
	wantDigest string

	// marks, if set, gets the times of special rows.
	marks *marks

	in          io.Closer  // nil before the first row and after the last one
	rows        *rowReader // nil before the first row
	gotDigest   string     // after the last row
	columns     columnsBuilder
	blockTokens int32
	memory      blockSlab
	read        int // rows
	ended       bool
	err         error
}

// newCursor returns a cursor of the file.
func (f *file) newCursor(wantDigest string) *fileCursor {
	return &fileCursor{
		file: f, wantDigest: wantDigest,
		columns: columnsBuilder{columns: &attributeColumns{}}, blockTokens: f.format.blockTokens,
	}
}

func (c *fileCursor) next(e *entry) bool {
	if c.ended {
		return false
	}
	more, err := c.advance(e)
	if err == nil && more {
		return true
	}
	if err != nil {
		c.err = fmt.Errorf("%s: %w", c.name, err)
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

// advance reads the next row; false after the last one. After the last row, the text must be
// the one that the trace was first read from.
func (c *fileCursor) advance(e *entry) (bool, error) {
	if c.rows == nil {
		if err := c.begin(); err != nil {
			return false, err
		}
	}
	rec, err := c.rows.next()
	if err != nil {
		return false, err
	}
	if rec != nil {
		c.fill(e, rec)
		return true, nil
	}
	if c.gotDigest, err = c.rows.digest(); err != nil {
		return false, err
	}
	if c.wantDigest != "" && c.gotDigest != c.wantDigest {
		return false, errors.New("the file has changed since it was first read")
	}
	return false, nil
}

func (c *fileCursor) begin() error {
	in, err := c.open()
	if err != nil {
		return err
	}
	c.in = in
	return c.beginWith(in)
}

// beginWith begins to read an open file, which the caller closes.
func (c *fileCursor) beginWith(in io.Reader) (err error) {
	c.rows, err = newRowReader(c.format, c.options, in, c.columns.hasSession)
	if err == nil {
		c.rows.marks = c.marks
	}
	return err
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
