// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Order says in which order the rows of a file are.
type Order string

const (
	// InOrder takes rows in order of time, and no others.
	InOrder Order = "InOrder"
	// Sort sorts rows by time. Rows of one time keep their order.
	Sort Order = "Sort"
)

// Options say how a file is read. The zero Options are right for most formats.
type Options struct {
	// CSV names the columns of a file of the format CSV; nil for those of [WrittenCSV], and for
	// any other format.
	CSV *CSV
	// Order says in which order the rows are; empty is InOrder.
	Order Order
	// Slice keeps a part of the trace's time; the zero Slice keeps all.
	Slice Slice
	// Sample keeps about so great a share of the requests, all of a session or none; 0
	// keeps all.
	Sample float64
	// TooLong says what becomes of rows that are too long, and ZeroOutput of those with an
	// answer of 0 tokens.
	TooLong    TooLong
	ZeroOutput ZeroOutput
	// BlockTokens is the size of the blocks of a Mooncake trace in tokens; 0 is
	// MooncakeBlockTokens. Other formats fix or state the size.
	BlockTokens int
	// Sharing states which prompts of a CSV share a beginning.
	Sharing Sharing
	// Parquet reads and writes files of the format Parquet; others need none.
	Parquet ParquetCodec
	// MemoryBytes bounds what the trace may take while it is read; 0 is without bound.
	// The row that goes beyond is an error.
	MemoryBytes int64
	// HeldBytes is how much memory a trace may take before [Open] leaves it in its file; 0
	// is defaultHeldBytes.
	HeldBytes int64
}

// Validate returns the faults of the options for a format, under the names that the API
// gives its fields.
func (o Options) Validate(f Format, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	at := path.Child("csv")
	switch {
	case f != GenericCSV && o.CSV != nil:
		errs = append(errs, field.Forbidden(at, "may only be set for the format CSV"))
	case o.CSV != nil:
		errs = append(errs, o.CSV.validate(at)...)
	}
	if o.Order != "" && o.Order != InOrder && o.Order != Sort {
		errs = append(errs, field.NotSupported(path.Child("order"), o.Order, []Order{InOrder, Sort}))
	}
	if f == ServeGen && o.Order == Sort {
		errs = append(errs, field.Forbidden(path.Child("order"), "may not be Sort for the format ServeGen, which has no rows"))
	}
	if o.TooLong != (TooLong{}) && f == ServeGen {
		errs = append(errs, field.Forbidden(path.Child("tooLong"), "may not be set for the format ServeGen, which has no rows"))
	}
	if o.ZeroOutput != "" && f == ServeGen {
		errs = append(errs, field.Forbidden(path.Child("zeroOutput"), "may not be set for the format ServeGen, which has no rows"))
	}
	errs = append(errs, o.TooLong.validate(path.Child("tooLong"))...)
	errs = append(errs, o.ZeroOutput.validate(path.Child("zeroOutput"))...)
	switch at := path.Child("blockTokens"); {
	case o.BlockTokens != 0 && f != Mooncake:
		errs = append(errs, field.Forbidden(at, "may only be set for the format Mooncake: other formats fix or state the size of their blocks"))
	case o.BlockTokens < 0 || o.BlockTokens > maxBlockTokens:
		errs = append(errs, field.Invalid(at, o.BlockTokens, fmt.Sprintf("must be between 1 and %d", maxBlockTokens)))
	}
	errs = append(errs, o.Sharing.validate(f, o.CSV, path.Child("sharing"))...)
	return append(errs, o.validateSelection(path)...)
}
