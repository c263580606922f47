// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// tableReach is how far beyond a grid's last point its engine may come, as a
// multiple of that point.
const tableReach = 2

// maxTableMicroseconds is half an hour.
const maxTableMicroseconds = 1.8e9

// Validate reports grids that are incomplete or out of order, as faults of the
// fields of a table, whose path is given.
func (t Table) Validate(path *field.Path) field.ErrorList {
	at := path.Child("prefill")
	errs := validateAxis(t.Prefill.NewTokens, 1, at.Child("newTokens"))
	errs = append(errs, validateAxis(t.Prefill.ContextTokens, 0, at.Child("contextTokens"))...)
	errs = append(errs, validateTimes(t.Prefill.Microseconds, len(t.Prefill.NewTokens), len(t.Prefill.ContextTokens), at.Child("microseconds"))...)
	at = path.Child("decode")
	errs = append(errs, validateAxis(t.Decode.Sequences, 1, at.Child("sequences"))...)
	errs = append(errs, validateAxis(t.Decode.ContextTokens, 0, at.Child("contextTokens"))...)
	errs = append(errs, validateTimes(t.Decode.Microseconds, len(t.Decode.Sequences), len(t.Decode.ContextTokens), at.Child("microseconds"))...)
	if f := t.FixedMicroseconds; f != nil && !(*f >= 0 && *f <= maxTableMicroseconds) {
		errs = append(errs, field.Invalid(path.Child("fixedMicroseconds"), *f, "must be 0 or more and at most half an hour"))
	}
	return errs
}

func validateAxis(axis []int, least int, path *field.Path) field.ErrorList {
	if len(axis) == 0 {
		return field.ErrorList{field.Required(path, "an axis has at least 1 point")}
	}
	var errs field.ErrorList
	for n, v := range axis {
		switch {
		case v < least || v > maxSize:
			errs = append(errs, field.Invalid(path.Index(n), v, fmt.Sprintf("must be at least %d and at most %d", least, maxSize)))
		case n > 0 && v <= axis[n-1]:
			errs = append(errs, field.Invalid(path.Index(n), v, fmt.Sprintf("must be more than the %d before it", axis[n-1])))
		}
	}
	return errs
}

func validateTimes(times [][]float64, rows, columns int, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(times) != rows {
		errs = append(errs, field.Invalid(path, len(times), fmt.Sprintf("must have %d rows, one for each point of the first axis", rows)))
	}
	for i, row := range times {
		if len(row) != columns {
			errs = append(errs, field.Invalid(path.Index(i), len(row), fmt.Sprintf("must have %d times, one for each of contextTokens", columns)))
		}
		for j, v := range row {
			if !(v > 0 && v <= maxTableMicroseconds) {
				errs = append(errs, field.Invalid(path.Index(i).Index(j), v, "must be greater than 0 and at most half an hour"))
			}
		}
	}
	return errs
}

// EngineLimits bound the steps of an engine: sequences and new tokens of a
// step, and tokens of a sequence. 0 means that a bound is not known.
type EngineLimits struct {
	MaxNumSeqs, MaxNumBatchedTokens, MaxModelLen int
}

// ValidateLimits reports axes that end so early that an engine with these
// limits may leave them by more than tableReach, as faults of the fields of a
// table, whose path is given.
func (t Table) ValidateLimits(l EngineLimits, path *field.Path) field.ErrorList {
	sequences, bound := l.MaxNumSeqs, "maxNumSeqs"
	if tokens := l.MaxNumBatchedTokens; tokens > 0 && tokens < sequences {
		sequences, bound = tokens, "maxNumBatchedTokens"
	}
	errs := validateReach(t.Prefill.NewTokens, l.MaxNumBatchedTokens, "maxNumBatchedTokens", path.Child("prefill", "newTokens"))
	errs = append(errs, validateReach(t.Prefill.ContextTokens, l.MaxModelLen, "maxModelLen", path.Child("prefill", "contextTokens"))...)
	errs = append(errs, validateReach(t.Decode.Sequences, sequences, bound, path.Child("decode", "sequences"))...)
	return append(errs, validateReach(t.Decode.ContextTokens, l.MaxModelLen, "maxModelLen", path.Child("decode", "contextTokens"))...)
}

func validateReach(axis []int, limit int, name string, path *field.Path) field.ErrorList {
	if len(axis) == 0 || tableReach*axis[len(axis)-1] >= limit {
		return nil
	}
	return field.ErrorList{field.Invalid(path, axis[len(axis)-1],
		fmt.Sprintf("the last point must be at least %d: %s is %d, and times are extrapolated to %d times the last point",
			(limit+tableReach-1)/tableReach, name, limit, tableReach))}
}
