// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
	"unsafe"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// record is what one line of a trace says, checked by itself.
type record struct {
	row           int    // in its file, from 1
	timeField     string // what the format calls the time
	at            int64  // ns since any instant that is the same for all lines
	begins        bool   // the file says at which instant a run begins
	begin         int64  // that instant, as at; the first row's where the file does not say
	untimed       bool   // no time, only a delay
	delayField    string // what the format calls the delay
	delayed       bool   // the request waits for the end of the one before it in its session
	delay         time.Duration
	outputField   string   // what the format calls the answer's length
	input, output int32    // tokens; an answer may have none
	ids           []uint64 // of the full blocks; valid until the next line
	blockTokens   int32    // size of a block where the file says it; 0 is the format's
	// id is the row's where it is named; after are those of the rows that a delayed one waits for, valid until
	// the next line. Without any, it waits for the one before it in its session.
	id    uint64
	named bool
	after []uint64
	// session names the conversation that the request belongs to; empty for none.
	session string
	attributes
	outcome Outcome
}

// parser reads line n, counted from 1, into rec, whose ids it may reuse the
// memory of. It returns false for a line that holds no request.
type parser func(rec *record, n int, text []byte) (bool, error)

// fieldError is a fault in one field of a row.
type fieldError struct{ field, problem string }

func (e *fieldError) Error() string { return e.field + ": " + e.problem }

func invalidField(field, format string, args ...any) error {
	return &fieldError{field, fmt.Sprintf(format, args...)}
}

// tokens checks a token count that a trace states.
func tokens(field string, count uint64) (int32, error) {
	if count < 1 || count > workload.MaxTokens {
		return 0, invalidField(field, "must be between 1 and %d tokens, got %d", workload.MaxTokens, count)
	}
	return int32(count), nil
}

// answer checks a count of an answer's tokens that a trace states, which may be 0.
func answer(field string, count uint64) (int32, error) {
	if count == 0 {
		return 0, nil
	}
	return tokens(field, count)
}

// traceBuilder makes a trace of its rows.
type traceBuilder struct {
	rows    *rowReader
	name    string // for errors
	trace   *Trace
	columns columnsBuilder
	// memoryBytes bounds what the trace may take while it is read; 0 is without bound.
	memoryBytes int64
	// heldBytes is the memory beyond which the rows are left in their file; 0 is without
	// bound. left says that they were.
	heldBytes int64
	left      bool
}

// errWaits says that rows were left in their file, one of which waits for another.
var errWaits = errors.New("rows wait for answers")

func newTraceBuilder(f format, o Options, r io.Reader, name string) (*traceBuilder, error) {
	t := &Trace{blockTokens: f.blockTokens}
	b := &traceBuilder{trace: t, name: name, columns: columnsBuilder{columns: &t.columns}, memoryBytes: o.MemoryBytes}
	var err error
	if b.rows, err = newRowReader(f, o, r, b.columns.hasSession); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	b.rows.marks = &t.marks
	return b, nil
}

// grown is about what lists of a given size take while they grow: a list is there twice,
// the second time with room for a quarter more.
func grown(bytes int64) int64 { return bytes * 9 / 4 }

// tooLarge says that rows take more memory than they may.
func tooLarge(requests, blocks int, needs, bytes int64) error {
	return fmt.Errorf("%d requests with %d blocks take about %d MiB of memory up to here, and there are %d MiB: give more, or use fewer rows",
		requests, blocks, needs>>20, bytes>>20)
}

// Bytes is about what a trace holds of memory.
func (t *Trace) Bytes() int64 {
	return int64(len(t.rows))*int64(unsafe.Sizeof(row{})) + int64(len(t.blocks))*int64(unsafe.Sizeof(uint64(0))) +
		int64(len(t.columns.set)+len(t.columns.session)+len(t.columns.next))*int64(unsafe.Sizeof(int32(0))) +
		int64(len(t.columns.delay))*int64(unsafe.Sizeof(time.Duration(0))) + t.columns.links.bytes() + t.marks.bytes()
}

// read reads all rows.
func (b *traceBuilder) read() (*Trace, error) {
	for {
		rec, err := b.rows.next()
		if err == nil && rec != nil {
			err = atRow(rec.row, b.add(rec))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.name, err)
		}
		if rec == nil {
			break
		}
	}
	t := b.trace
	var err error
	if t.requests == 0 {
		err = b.rows.empty()
	} else {
		t.digest, err = b.rows.digest()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.name, err)
	}
	t.counts, t.warning = b.rows.counts(), b.rows.warning()
	t.marks.shift(b.rows.first)
	t.end = simtime.Time(b.rows.last - b.rows.first)
	t.sessions = len(b.columns.sessions)
	t.rows, t.blocks = slices.Clip(t.rows), slices.Clip(t.blocks)
	return t, nil
}

// add adds a row.
func (b *traceBuilder) add(rec *record) error {
	t := b.trace
	if rec.blockTokens > 0 {
		t.blockTokens = rec.blockTokens
	}
	t.requests++
	t.longestInput = max(t.longestInput, rec.input)
	arrival := simtime.Time(b.rows.at - b.rows.first)
	if rec.begins && t.requests == 1 {
		t.lead = simtime.Time(b.rows.first - rec.begin)
	}
	t.noteTime(arrival)
	t.unnamedModels = t.unnamedModels || rec.model == ""
	if b.left {
		return b.leave(rec)
	}
	for _, id := range rec.ids {
		t.blocks = append(t.blocks, workload.RecordedBlock(id))
	}
	b.columns.add(len(t.rows), rec.attributes, rec.session)
	b.columns.addTurn(len(t.rows), rec)
	t.rows = append(t.rows, row{
		arrival:   arrival,
		input:     rec.input,
		output:    rec.output,
		blocksEnd: len(t.blocks),
	})
	needs := grown(t.Bytes())
	if b.heldBytes > 0 && needs > b.heldBytes && !t.AnswersEnds() {
		b.left = true
		t.rows, t.blocks = nil, nil
		t.columns.set, t.columns.session = nil, nil
		b.rows.marks, t.marks = nil, marks{}
		return nil
	}
	if needs += b.rows.memory(); b.memoryBytes > 0 && needs > b.memoryBytes {
		return tooLarge(len(t.rows), len(t.blocks), needs, b.memoryBytes)
	}
	return nil
}

// noteTime notes the recorded time of the next row.
func (t *Trace) noteTime(at simtime.Time) {
	if t.times == 0 || at != t.span {
		t.times++
	}
	t.span = at
}

// leave notes of a row that stays in its file what there is of labels and sessions.
func (b *traceBuilder) leave(rec *record) error {
	if rec.delayed {
		return errWaits
	}
	b.columns.setOf(rec.attributes)
	b.columns.sessionOf(rec.session)
	return nil
}
