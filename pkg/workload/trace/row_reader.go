// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"cmp"
	"time"
)

// rowReader reads the rows of one file and checks them against each other.
type rowReader struct {
	parse  parser
	record record
	// hasSession reports whether a row before has the session.
	hasSession func(name string) bool
	selection  *selection // nil keeps all rows
	// sorts says that rows may come in any order.
	sorts       bool
	began       bool  // whether there was a row
	kept        int   // rows
	start       int64 // time of the first row
	first, at   int64 // times of the first row that is kept, of the last one that does not wait
	failed      int   // rows of requests that got no answer when they were recorded
	tooLong     TooLong
	clipped     int   // rows
	blockTokens int32 // of the format
}

func newRowReader(f format, o Options, hasSession func(string) bool) *rowReader {
	r := &rowReader{parse: f.newParser(o), hasSession: hasSession, selection: newSelection(o), sorts: o.Order == Sort, tooLong: o.TooLong, blockTokens: f.blockTokens}
	if r.selection != nil {
		r.hasSession = r.selection.hasSession
	}
	return r
}

// next returns the row on line n, which is valid until the next call; nil where the line
// holds none that is sent.
func (r *rowReader) next(n int, text []byte) (*record, error) {
	rec := &r.record
	ok, err := r.parse(rec, n, text)
	if err != nil || !ok {
		return nil, err
	}
	if rec.failed {
		r.failed++
		return nil, nil
	}
	if err := r.resolveDelay(); err != nil {
		return nil, err
	}
	if !r.began {
		r.began, r.start, r.at = true, rec.at, rec.at
	}
	if !rec.delayed {
		if rec.at < r.at && !r.sorts {
			return nil, invalidField(rec.timeField, "is earlier than in the row before")
		}
		r.at = rec.at
	}
	if !r.selection.keeps(rec, n, time.Duration(r.at-r.start)) {
		return nil, nil
	}
	if r.kept == 0 {
		r.first = r.at
	}
	r.kept++
	if r.tooLong.Action == Clip && r.tooLong.has(rec) {
		r.clipped++
		r.tooLong.clip(rec, cmp.Or(rec.blockTokens, r.blockTokens))
	}
	return rec, nil
}

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
	if r.sorts {
		return invalidField(rec.delayField, "may not be there where rows are sorted: it counts from the row before in the session")
	}
	if rec.session == "" {
		return invalidField(rec.delayField, "needs a session: it counts from the end of the session's request before")
	}
	if rec.delayed = r.hasSession(rec.session); !rec.delayed && rec.untimed {
		return invalidField(rec.timeField, "is missing: the first request of a session has no other to wait for")
	}
	return nil
}
