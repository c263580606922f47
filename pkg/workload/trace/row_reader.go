// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"cmp"
	"errors"
	"io"
	"time"
)

// rowReader reads the rows of one file that are sent, and checks them against each other.
type rowReader struct {
	records
	record record
	// hasSession reports whether a row before has the session.
	hasSession  func(name string) bool
	selection   *selection // nil keeps all rows
	began       bool       // whether there was a row
	kept        int        // rows
	start       int64      // time of the first row
	first, at   int64      // times of the first row that is kept, of the last one that does not wait
	failed      int        // rows of requests that got no answer when they were recorded
	tooLong     TooLong
	clipped     int   // rows
	blockTokens int32 // of the format
}

func newRowReader(f format, o Options, r io.Reader, hasSession func(string) bool) (*rowReader, error) {
	all, err := f.records(o, r)
	if err != nil {
		return nil, err
	}
	rows := &rowReader{records: all, hasSession: hasSession, selection: newSelection(o), tooLong: o.TooLong, blockTokens: f.blockTokens}
	if rows.selection != nil {
		rows.hasSession = rows.selection.hasSession
	}
	return rows, nil
}

// next returns the next row that is sent, which is valid until the next call; nil after the
// last one.
func (r *rowReader) next() (*record, error) {
	rec := &r.record
	for {
		more, err := r.records.next(rec)
		if err != nil || !more {
			return nil, err
		}
		sent, err := r.sends()
		if err != nil {
			return nil, atRow(rec.row, err)
		}
		if sent {
			return rec, nil
		}
	}
}

// sends checks the row, and reports whether it is sent.
func (r *rowReader) sends() (bool, error) {
	rec := &r.record
	if rec.failed {
		r.failed++
		return false, nil
	}
	if err := r.resolveDelay(); err != nil {
		return false, err
	}
	if !r.began {
		r.began, r.start, r.at = true, rec.at, rec.at
	}
	if !rec.delayed {
		if rec.at < r.at {
			return false, invalidField(rec.timeField, "is earlier than in the row before")
		}
		r.at = rec.at
	}
	if !r.selection.keeps(rec, time.Duration(r.at-r.start)) {
		return false, nil
	}
	if r.kept == 0 {
		r.first = r.at
	}
	r.kept++
	if r.tooLong.Action == Clip && r.tooLong.has(rec) {
		r.clipped++
		r.tooLong.clip(rec, cmp.Or(rec.blockTokens, r.blockTokens))
	}
	return true, nil
}

// empty says why there is no row that is sent.
func (r *rowReader) empty() error {
	if r.began && r.selection != nil && !r.selection.reached {
		return r.selection.slice.empty(time.Duration(r.at - r.start))
	}
	return errNoRequests
}

var errNoRequests = errors.New("a trace without requests")

// skipped counts the rows that were left out because they were too long.
func (r *rowReader) skipped() int {
	if r.selection == nil {
		return 0
	}
	return r.selection.skipped
}

// resolveDelay decides whether the row waits for another, which only a later row of a
// session does.
func (r *rowReader) resolveDelay() error {
	rec := &r.record
	if !rec.delayed {
		return nil
	}
	if rec.session == "" {
		return invalidField(rec.delayField, "needs a session: it counts from the end of the session's request before")
	}
	if rec.delayed = r.hasSession(rec.session); !rec.delayed && rec.untimed {
		return invalidField(rec.timeField, "is missing: the first request of a session has no other to wait for")
	}
	return nil
}
