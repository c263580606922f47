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

// has reports whether a row is in the slice that arrives so long after the first row.
func (s Slice) has(arrival time.Duration) bool {
	return arrival >= s.From && (s.To == 0 || arrival < s.To)
}

// samples decides by a hash of the session that began a tree of sessions, or of the row's number without a session:
// another share keeps more or less of the same rows.
func (o *Options) samples(rec *record) bool {
	if o.Sample == 0 {
		return true
	}
	hash := stats.Hash64(sampledRow, uint64(rec.row))
	if rec.session != "" {
		hash = stats.Hash64(sampledSession, stats.HashString(rec.tree()))
	}
	return float64(hash>>11) < o.Sample*(1<<53)
}

// What a sample's hashes are of.
const (
	sampledRow = iota + 1
	sampledSession
)
