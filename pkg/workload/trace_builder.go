// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"
	"time"
	"unsafe"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// record is what one line of a trace says, checked by itself.
type record struct {
	timeField     string // what the format calls the time
	at            int64  // ns since any instant that is the same for all lines
	untimed       bool   // no time, only a delay
	delayField    string // what the format calls the delay
	delayed       bool   // the request waits for the end of the one before it in its session
	delay         time.Duration
	input, output int32
	ids           []uint64 // of the full blocks; valid until the next line
	// session names the conversation that the request belongs to; empty for none.
	session string
	attributes
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
	if count < 1 || count > MaxTokens {
		return 0, invalidField(field, "must be between 1 and %d tokens, got %d", MaxTokens, count)
	}
	return int32(count), nil
}

// traceBuilder makes a trace of its lines.
type traceBuilder struct {
	parse     parser
	trace     *Trace
	columns   columnsBuilder
	record    record
	first, at int64 // of the first row, of the last one
	// memoryBytes bounds what the trace may take while it is read.
	memoryBytes int64
}

func newTraceBuilder(f format, memoryBytes int64) *traceBuilder {
	t := &Trace{blockTokens: f.blockTokens}
	return &traceBuilder{parse: f.parse, trace: t, columns: columnsBuilder{columns: &t.columns}, memoryBytes: memoryBytes}
}

// memory is about what a trace takes while it is read, in bytes: a list that grows
// is there twice, the second time with room for a quarter more.
func (t *Trace) memory() int64 {
	held := int64(len(t.rows))*int64(unsafe.Sizeof(row{})) + int64(len(t.blocks))*int64(unsafe.Sizeof(uint64(0))) +
		int64(len(t.columns.set)+len(t.columns.session)+len(t.columns.next))*int64(unsafe.Sizeof(int32(0))) +
		int64(len(t.columns.delay))*int64(unsafe.Sizeof(time.Duration(0)))
	return held * 9 / 4
}

// resolveDelay decides whether the row waits for another, which only a later row of a
// session does.
func (b *traceBuilder) resolveDelay() error {
	r := &b.record
	if !r.delayed {
		return nil
	}
	if r.session == "" {
		return invalidField(r.delayField, "needs a session: it counts from the end of the session's request before")
	}
	if r.delayed = b.columns.hasSession(r.session); !r.delayed && r.untimed {
		return invalidField(r.timeField, "is missing: the first request of a session has no other to wait for")
	}
	return nil
}

func (b *traceBuilder) line(n int, text []byte) error {
	ok, err := b.parse(&b.record, n, text)
	if err != nil || !ok {
		return err
	}
	t := b.trace
	if err := b.resolveDelay(); err != nil {
		return err
	}
	if len(t.rows) == 0 {
		b.first, b.at = b.record.at, b.record.at
	}
	if !b.record.delayed {
		if b.record.at < b.at {
			return invalidField(b.record.timeField, "is earlier than in the row before")
		}
		b.at = b.record.at
	}
	for _, id := range b.record.ids {
		t.blocks = append(t.blocks, blockText.source(id))
	}
	b.columns.add(len(t.rows), b.record.attributes, b.record.session)
	b.columns.addTurn(len(t.rows), b.record.delayed, b.record.delay)
	t.rows = append(t.rows, row{
		arrival:   simtime.Time(b.at - b.first),
		input:     b.record.input,
		output:    b.record.output,
		blocksEnd: len(t.blocks),
	})
	if needs := t.memory(); needs > b.memoryBytes {
		return fmt.Errorf("%d requests with %d blocks take about %d MiB of memory up to here, and there are %d MiB: give more, or use fewer rows",
			len(t.rows), len(t.blocks), needs>>20, b.memoryBytes>>20)
	}
	return nil
}
