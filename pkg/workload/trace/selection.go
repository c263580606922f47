// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Slice is a part of a trace's time, from the first arrival on. Rows from From on and
// before To are in it; a To of 0 is the end of the trace. A row that waits for another is
// in it where the other is.
type Slice struct {
	From, To time.Duration
}

// String says which part it is.
func (s Slice) String() string {
	if s.To == 0 {
		return fmt.Sprintf("from %s on", s.From)
	}
	return fmt.Sprintf("from %s to %s", s.From, s.To)
}

// empty says that no request of a trace of some length is in the slice.
func (s Slice) empty(span time.Duration) error {
	return fmt.Errorf("no request arrives in the slice %s: the trace spans %s", s, span)
}

// validateSelection returns the faults of what says which rows are kept.
func (o *Options) validateSelection(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	at := path.Child("slice")
	switch {
	case o.Slice.From < 0:
		errs = append(errs, field.Invalid(at.Child("from"), o.Slice.From.String(), "must not be negative"))
	case o.Slice.To != 0 && o.Slice.To <= o.Slice.From:
		errs = append(errs, field.Invalid(at.Child("to"), o.Slice.To.String(), "must be after from"))
	}
	if o.Sample != 0 && !(o.Sample > 0 && o.Sample < 1) {
		errs = append(errs, field.Invalid(path.Child("sample"), o.Sample, "must be greater than 0 and less than 1"))
	}
	return errs
}

// selection decides which rows are kept, row after row.
type selection struct {
	slice  Slice
	sample float64
	// reached says that a row arrived in the slice.
	reached bool
	// kept says of each session whether the last row of it was kept.
	kept map[string]bool
	// tooLong says which rows are skipped, and skipped counts them. cut are the sessions
	// whose last row was one of them.
	tooLong TooLong
	cut     map[string]bool
	skipped int
}

func newSelection(o Options) *selection {
	if o.Slice == (Slice{}) && o.Sample == 0 && o.TooLong.Action != Skip {
		return nil
	}
	s := &selection{slice: o.Slice, sample: o.Sample, kept: map[string]bool{}}
	if o.TooLong.Action == Skip {
		s.tooLong, s.cut = o.TooLong, map[string]bool{}
	}
	return s
}

// hasSession reports whether a row before has the session, kept or not.
func (s *selection) hasSession(name string) bool {
	_, known := s.kept[name]
	return known
}

// keeps reports whether a row is kept, which arrives so long after the first. A nil
// selection keeps all.
func (s *selection) keeps(rec *record, arrival time.Duration) bool {
	if s == nil {
		return true
	}
	keeps := s.kept[rec.session]
	if !rec.delayed {
		arrives := arrival >= s.slice.From && (s.slice.To == 0 || arrival < s.slice.To)
		s.reached = s.reached || arrives
		keeps = arrives && s.sampled(rec.session, rec.row)
	}
	keeps = s.skip(rec, keeps) && keeps
	if rec.session != "" {
		s.kept[rec.session] = keeps
	}
	return keeps
}

// skip counts a row that is skipped for its length, or because it waits for one that was.
// It returns false for such a row.
func (s *selection) skip(rec *record, selected bool) bool {
	if s.cut == nil {
		return true
	}
	skips := selected && s.tooLong.has(rec) || rec.delayed && s.cut[rec.session]
	if rec.session != "" {
		s.cut[rec.session] = skips
	}
	if skips {
		s.skipped++
	}
	return !skips
}

// sampled decides by a hash of the session, or of the row's number where there is none:
// another share keeps more or less of the same rows.
func (s *selection) sampled(session string, row int) bool {
	if s.sample == 0 {
		return true
	}
	hash := stats.Hash64(sampledRow, uint64(row))
	if session != "" {
		hash = stats.Hash64(sampledSession, stats.HashString(session))
	}
	return float64(hash>>11) < s.sample*(1<<53)
}

// What a sample's hashes are of.
const (
	sampledRow = iota + 1
	sampledSession
)
