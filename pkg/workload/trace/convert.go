// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// trait is something that a row may say in addition to its lengths and its arrival.
type trait struct {
	name string
	in   func(*record) bool
}

// Traits, in the order in which losses are reported.
var (
	blocksTrait   = trait{"blocks", func(r *record) bool { return len(r.ids) > 0 }}
	sessionTrait  = trait{"session", func(r *record) bool { return r.session != "" }}
	delayTrait    = trait{"delay", func(r *record) bool { return r.delayed }}
	tenantTrait   = trait{"tenant", func(r *record) bool { return r.tenant != "" }}
	classTrait    = trait{"class", func(r *record) bool { return r.class != "" }}
	priorityTrait = trait{"priority", func(r *record) bool { return r.priority != nil }}
	modelTrait    = trait{"model", func(r *record) bool { return r.model != "" }}
	adapterTrait  = trait{"adapter", func(r *record) bool { return r.adapter != "" }}
	// linksTrait is that other rows wait for a row by its id, or it for others.
	linksTrait = trait{"links", func(r *record) bool { return r.named || len(r.after) > 0 }}
	// beginTrait is of the file: that a run begins before the first request arrives.
	beginTrait = trait{"begin", func(r *record) bool { return r.begins }}
	// outcomeTrait is how a request was served.
	outcomeTrait = trait{"outcome", func(r *record) bool { return r.outcome.Status != 0 }}

	rowTraits = []trait{blocksTrait, sessionTrait, delayTrait, tenantTrait, classTrait, priorityTrait, modelTrait, adapterTrait}
	traits    = append(slices.Clone(rowTraits), linksTrait, beginTrait, outcomeTrait)
)

func traitNames(all ...trait) []string {
	var names []string
	for _, t := range all {
		names = append(names, t.name)
	}
	return names
}

// rowWriter writes the rows of one text.
type rowWriter struct {
	// header is what the text begins with.
	header string
	// append appends row n, counted from 0. Its ids are those of the blocks that the
	// format has, its times multiples of the format's tick.
	append func(line []byte, r *record, n int) []byte
}

// Carriage is what a format carries of a row.
type Carriage struct {
	Format Format
	// Traits are what a row may say in addition to its arrival and its lengths, and Lost those
	// that the format has no place for.
	Traits, Lost []string
	// Adds is what each row has in the format, whether the trace says it or not.
	Adds []string
	// Tick is the unit of times. What is below it is cut off.
	Tick time.Duration
	// BlockTokens is the size of the blocks whose ids rows have; 0 is that of the trace
	// that is converted, or none.
	BlockTokens int
}

// Carriages says what each format that can be written carries of a row.
func Carriages() []Carriage {
	var all []Carriage
	for _, f := range formats {
		if !f.written() {
			continue
		}
		c := Carriage{Format: f.name, Tick: f.tick, BlockTokens: int(f.blockTokens)}
		for _, a := range additions {
			if a.by(f) {
				c.Adds = append(c.Adds, a.what)
			}
		}
		for _, name := range traitNames(traits...) {
			if slices.Contains(f.carries, name) {
				c.Traits = append(c.Traits, name)
			} else {
				c.Lost = append(c.Lost, name)
			}
		}
		all = append(all, c)
	}
	return all
}

// Conversion is what became of the rows of a trace that was written in another format.
type Conversion struct {
	// Requests are the rows that were written.
	Requests int
	// Counts are of rows that were not written as they were read.
	Counts
	// Warning is [Trace.Warning].
	Warning string
	// Lost is what rows said that the format does not carry, and Added what they say in the
	// format and did not say before.
	Lost  []Loss
	Added []Addition
	// Digest is that of the text that was read, as [Trace.Digest].
	Digest string
}

// Loss is something that rows said and that is lost.
type Loss struct {
	What string
	Rows int
}

// Addition is something that rows did not say and that the format makes them say.
type Addition struct {
	What string
	Rows int
}

// Convert reads a trace and writes its rows in the format to, with arrivals from 0 on. It
// holds one row at a time, unless the options sort them. Errors of reading are those of
// [ReadWith]. A row that waits for an answer, and so has no arrival, is an error where the
// format does not carry that.
func Convert(from Format, o Options, r io.Reader, name string, to Format, w io.Writer) (Conversion, error) {
	reading, err := from.declaration()
	if err != nil {
		return Conversion{}, fmt.Errorf("%s: %w", name, err)
	}
	writing, err := to.declaration()
	if err != nil {
		return Conversion{}, err
	}
	switch {
	case reading.describes:
		return Conversion{}, fmt.Errorf("%s: the format %s has no rows to convert: windtunnel trace generate --servegen draws some", name, from)
	case writing.describes:
		return Conversion{}, fmt.Errorf("the format %s has no rows to write, want one of %v", to, WrittenFormats())
	case !writing.written():
		return Conversion{}, fmt.Errorf("the format %s is only read, want one of %v", to, WrittenFormats())
	}
	if errs := o.Validate(from, nil); len(errs) > 0 {
		return Conversion{}, fmt.Errorf("%s: %w", name, errs.ToAggregate())
	}
	if o.Sharing != (Sharing{}) {
		reading.blockTokens = sharedBlockTokens
	}
	out := newWriter(w, writing, reading.blockTokens, o.Parquet)
	c, err := out.convert(reading, o, r)
	if err != nil {
		return Conversion{}, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// convert writes the rows of a file.
func (w *writer) convert(from format, o Options, r io.Reader) (Conversion, error) {
	columns := columnsBuilder{columns: &attributeColumns{}}
	rows, err := newRowReader(from, o, r, columns.hasSession)
	if err != nil {
		return Conversion{}, err
	}
	for {
		rec, err := rows.next()
		if err != nil {
			return Conversion{}, err
		}
		if rec == nil {
			break
		}
		columns.sessionOf(rec.session)
		if err := w.write(rec); err != nil {
			return Conversion{}, atRow(rec.row, err)
		}
	}
	if w.rows == 0 {
		return Conversion{}, rows.empty()
	}
	digest, err := rows.digest()
	if err = errors.Join(err, w.Close()); err != nil {
		return Conversion{}, err
	}
	return Conversion{Requests: w.rows, Counts: rows.counts(), Warning: rows.warning(), Lost: w.losses(), Added: w.additions(), Digest: digest}, nil
}

// A writer writes rows in a format.
type writer struct {
	to     format
	out    *bufio.Writer
	codec  ParquetCodec
	blocks reblocker
	file   fileWriter // nil before the first row
	rows   int
	first  int64
	lost   []int // rows, by index in traits
	added  []int // rows, by index in additions
	cut    int   // rows whose times lie between two ticks
}

// fileWriter writes the rows of one file.
type fileWriter interface {
	// write writes row n, counted from 0.
	write(r *record, n int) error
	// close writes the end of the file.
	close() error
}

// textWriter writes a text.
type textWriter struct {
	rowWriter
	out  *bufio.Writer
	line []byte
}

func (t *textWriter) write(r *record, n int) error {
	if n == 0 {
		_, _ = t.out.WriteString(t.header) // the error comes back with the row's
	}
	t.line = t.append(t.line[:0], r, n)
	_, err := t.out.Write(t.line)
	return err
}

func (t *textWriter) close() error { return nil }

// newWriter returns a writer of rows whose blocks have a given number of tokens, unless a row says
// another size.
func newWriter(w io.Writer, to format, blockTokens int32, codec ParquetCodec) *writer {
	return &writer{
		to: to, out: bufio.NewWriter(w), codec: codec, blocks: reblocker{from: int(blockTokens)},
		lost: make([]int, len(traits)), added: make([]int, len(additions)),
	}
}

// write writes a row.
func (w *writer) write(rec *record) error {
	if rec.delayed && !slices.Contains(w.to.carries, delayTrait.name) {
		return fmt.Errorf("request %d waits for an answer and has no arrival, which the format %s does not carry: use %s",
			w.rows+1, w.to.name, strings.Join(carriersOf(delayTrait), " or "))
	}
	if len(rec.after) > 0 && !slices.Contains(w.to.carries, linksTrait.name) {
		return fmt.Errorf("request %d waits for requests by their ids, which the format %s does not carry: use %s",
			w.rows+1, w.to.name, strings.Join(carriersOf(linksTrait), " or "))
	}
	if w.file == nil {
		if err := w.begin(rec); err != nil {
			return err
		}
	}
	w.note(rec)
	r := *rec
	r.at = (rec.at - w.first) / int64(w.to.tick) * int64(w.to.tick)
	r.delay = rec.delay / w.to.tick * w.to.tick
	switch {
	case !slices.Contains(w.to.carries, blocksTrait.name):
		r.ids = nil
	case w.to.sharedBlocks:
		r.ids = w.blocks.shared(rec.ids, rec.input, w.rows)
	default:
		r.ids = w.blocks.full(rec.ids, rec.input, w.rows)
	}
	w.rows++
	return w.file.write(&r, w.rows-1)
}

// begin begins the file.
func (w *writer) begin(rec *record) error {
	if rec.blockTokens > 0 {
		w.blocks.from = int(rec.blockTokens)
	}
	w.blocks.to = int(w.to.blockTokens)
	if w.to.sharedBlocks {
		w.blocks.to = w.blocks.from
	}
	if w.first = rec.at; rec.begins {
		w.first = rec.begin
	}
	blockTokens := int32(w.blocks.to)
	if w.to.newWriter != nil {
		w.file = &textWriter{rowWriter: w.to.newWriter(blockTokens), out: w.out}
		return nil
	}
	file, err := newParquetWriter(w.codec, w.out, blockTokens)
	if err != nil {
		return err
	}
	w.file = file
	return nil
}

// note counts what is lost of a row, and what is added to it.
func (w *writer) note(rec *record) {
	for i, a := range additions {
		if a.by(w.to) && a.to(w, rec) {
			w.added[i]++
		}
	}
	for i, t := range traits {
		if t.in(rec) && !slices.Contains(w.to.carries, t.name) {
			w.lost[i]++
		}
	}
	if tick := int64(w.to.tick); !rec.delayed && (rec.at-w.first)%tick != 0 || rec.delayed && int64(rec.delay)%tick != 0 {
		w.cut++
	}
}

// losses lists what was lost so far.
func (w *writer) losses() []Loss {
	var all []Loss
	for i, rows := range w.lost {
		if rows > 0 {
			all = append(all, Loss{traits[i].name, rows})
		}
	}
	if w.cut > 0 {
		all = append(all, Loss{fmt.Sprintf("time below %s", w.to.tick), w.cut})
	}
	return all
}

// additions lists what was added so far.
func (w *writer) additions() []Addition {
	var all []Addition
	for i, rows := range w.added {
		if rows > 0 {
			all = append(all, Addition{additions[i].what, rows})
		}
	}
	return all
}

// Close writes the end of the file.
func (w *writer) Close() error {
	var err error
	if w.file != nil {
		err = w.file.close()
	}
	return errors.Join(err, w.out.Flush())
}

// carriersOf lists the formats that carry a trait.
func carriersOf(t trait) []string {
	var names []string
	for _, f := range formats {
		if f.written() && slices.Contains(f.carries, t.name) {
			names = append(names, string(f.name))
		}
	}
	return names
}
