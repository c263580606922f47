// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"
)

// rowReader reads the rows of one file that are sent, and checks them against each other.
type rowReader struct {
	records
	record  record
	options Options
	// blockTokens is the size of the format's blocks.
	blockTokens int32
	// hasSession reports whether a row before has the session.
	hasSession func(name string) bool
	// fates are those of all sessions; nil where each row of the file is sent.
	fates map[string]fate
	// named are those of the rows with ids.
	named     map[uint64]fate
	began     bool  // whether there was a row
	reached   bool  // whether a row arrived in the slice
	kept      int   // rows
	start     int64 // time of the first row
	first, at int64 // times of the first row that is sent, of the last one that does not wait
	last      int64 // time of the last row that is selected
	times     TimeFormat
	tally     tally
	marks     *marks // nil where only the tally counts
}

// fate is what became of the last row of a session.
type fate struct {
	selected bool
	// cut is why the row was left out; asRecorded where it was not.
	cut special
}

func newRowReader(f format, o Options, r io.Reader, hasSession func(string) bool) (*rowReader, error) {
	all, err := f.records(o, r)
	if err != nil {
		return nil, err
	}
	rows := &rowReader{records: all, options: o, blockTokens: f.blockTokens, times: f.times, hasSession: hasSession}
	if o.CSV != nil {
		rows.times = o.CSV.TimeFormat
	}
	if o.Slice != (Slice{}) || o.Sample != 0 || o.TooLong.Action == Skip || o.ZeroOutput == SkipZeroOutput {
		rows.fates = map[string]fate{}
		rows.hasSession = func(name string) bool {
			_, known := rows.fates[name]
			return known
		}
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
		sent, err := r.sends(rec)
		if err != nil {
			return nil, atRow(rec.row, err)
		}
		if sent {
			return rec, nil
		}
	}
}

// sends checks a row, and reports whether it is sent.
func (r *rowReader) sends(rec *record) (bool, error) {
	if err := r.resolveDelay(rec); err != nil {
		return false, err
	}
	if err := r.checkLinks(rec); err != nil {
		return false, err
	}
	if !r.began {
		r.began, r.start, r.at = true, rec.at, rec.at
	}
	if r.options.Slice != (Slice{}) {
		rec.begins = false // a run begins with the first request of the slice
	}
	if !rec.delayed {
		if rec.at < r.at {
			return false, invalidField(rec.timeField, "is earlier than in the row before: order (--order) Sort sorts rows")
		}
		r.at = rec.at
	}
	is, err := r.decide(rec)
	if err != nil || !is.selected {
		return false, err
	}
	r.last = r.at
	if is.cut != asRecorded {
		r.mark(is.cut)
		return false, nil
	}
	if r.kept == 0 {
		r.first = r.at
	}
	r.kept++
	return true, nil
}

// decide decides what becomes of a row, which may shorten it.
func (r *rowReader) decide(rec *record) (is fate, err error) {
	before := r.fateBefore(rec)
	if is.selected = before.selected || r.fates == nil; !rec.delayed {
		is.selected = r.selects(rec)
	}
	switch {
	case !is.selected:
	case rec.delayed && before.cut != asRecorded:
		is.cut = before.cut
	default:
		is.cut, err = r.treat(rec)
	}
	r.keepFate(rec, is)
	return is, err
}

// selects reports whether a row that does not wait is in the slice and in the sample.
func (r *rowReader) selects(rec *record) bool {
	arrives := r.options.Slice.has(time.Duration(r.at - r.start))
	r.reached = r.reached || arrives
	return arrives && r.options.samples(rec)
}

// treat treats a row that is too long or has an answer of 0 tokens, and returns why it is left
// out, if it is.
func (r *rowReader) treat(rec *record) (special, error) {
	noOutput := rec.output == 0
	if noOutput {
		switch r.options.ZeroOutput {
		case SkipZeroOutput:
			return skippedZeroOutput, nil
		case PrefillOnly:
			rec.output = 1
		default:
			_, err := tokens(rec.outputField, 0)
			return asRecorded, fmt.Errorf("%w: zeroOutput (--zero-output) may be Skip, which leaves such rows out, or PrefillOnly, which sends their prompts", err)
		}
	}
	if l := r.options.TooLong; l.has(rec) {
		switch l.Action {
		case Skip:
			return skippedLong, nil
		case RefuseTooLong:
			return asRecorded, fmt.Errorf("has %d tokens, prompt and answer together, more than the %d of tooLong", rec.input+rec.output, l.MaxTokens)
		}
		l.clip(rec, cmp.Or(rec.blockTokens, r.blockTokens))
		r.mark(clippedLong)
	}
	if noOutput {
		r.mark(prefillOnly)
	}
	return asRecorded, nil
}

// mark counts a special row.
func (r *rowReader) mark(what special) {
	r.tally[what]++
	if r.marks != nil {
		r.marks[what] = append(r.marks[what], r.at)
	}
}

// counts returns the counts of the rows so far.
func (r *rowReader) counts() Counts { return r.tally.counts() }

// warning says what is odd about the file or its times; "" for nothing.
func (r *rowReader) warning() string {
	if of, is := r.records.(interface{ warning() string }); is && of.warning() != "" {
		return of.warning()
	}
	return oddTimes(r.times, r.start, r.at)
}

// empty says why there is no row that is sent.
func (r *rowReader) empty() error {
	if r.began && !r.reached {
		return r.options.Slice.empty(time.Duration(r.at - r.start))
	}
	if out := r.tally[skippedLong] + r.tally[skippedZeroOutput]; out > 0 {
		return fmt.Errorf("%w: %d rows are left out", errNoRequests, out)
	}
	return errNoRequests
}

var errNoRequests = errors.New("a trace without requests")

// resolveDelay decides whether a row waits for another, which only a later row of a session
// does.
func (r *rowReader) resolveDelay(rec *record) error {
	if !rec.delayed || len(rec.after) > 0 {
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
