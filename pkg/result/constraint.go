// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"math"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Operator says on which side of a bound a measure must be.
type Operator string

const (
	// AtMost says that the bound is the greatest value.
	AtMost Operator = "AtMost"
	// AtLeast says that it is the least.
	AtLeast Operator = "AtLeast"
)

// sign is what a distance above the bound counts: 1 where it is on the wrong
// side, -1 elsewhere.
func (o Operator) sign() float64 {
	if o == AtMost {
		return 1
	}
	return -1
}

// Symbol is the operator in a table.
func (o Operator) Symbol() string {
	if o == AtMost {
		return "≤"
	}
	return "≥"
}

func (o Operator) check(path *field.Path) field.ErrorList {
	if o == AtMost || o == AtLeast {
		return nil
	}
	return field.ErrorList{field.NotSupported(path, o, []Operator{AtMost, AtLeast})}
}

// Constraint bounds the mean of a measure over the seeds.
type Constraint struct {
	Measure  Measure  `json:"metric"`
	Operator Operator `json:"operator"`
	// Bound is in the measure's unit.
	Bound float64 `json:"bound"`
}

// Constraint reads a constraint. Errors are at path.metric, path.operator and
// path.value.
func (m Measures) Constraint(metric, operator, value string, path *field.Path) (Constraint, field.ErrorList) {
	measure, errs := m.Parse(metric, path.Child("metric"))
	c := Constraint{Measure: measure, Operator: Operator(operator)}
	if len(errs) == 0 {
		c.Bound, errs = ParseBound(value, measure.Unit(), path.Child("value"))
	}
	return c, append(errs, c.Operator.check(path.Child("operator"))...)
}

// String returns the constraint in words, such as ttft.p99 ≤ 500 ms.
func (c Constraint) String() string {
	return fmt.Sprintf("%s %s %s", c.Measure, c.Operator.Symbol(), c.Measure.Unit().Text(c.Bound))
}

// Excess is how far a value is beyond the bound, in parts of the bound, or as
// such where that is 0. It is 0 where the constraint holds.
func (c Constraint) Excess(value float64) float64 { return max(0, c.Beyond(value)) }

// Beyond is [Constraint.Excess] that is negative where the constraint holds.
func (c Constraint) Beyond(value float64) float64 {
	beyond := float64(c.Operator.sign() * (value - c.Bound))
	if c.Bound != 0 {
		beyond /= math.Abs(c.Bound)
	}
	return beyond
}

// Claim is what rows say of constraints.
type Claim string

const (
	// Holds says that all hold.
	Holds Claim = "Holds"
	// Breaks says that one does not.
	Breaks Claim = "Breaks"
	// Open says that the rows are not enough to tell.
	Open Claim = "Open"
)

// Claim says whether the measure's mean over the seeds keeps to the bound, with
// a confidence above 0.5 and below 1: by the one-sided t-test, as [Gate.Judge]
// does. A row without a value leaves it open.
func (c Constraint) Claim(rows []Row, confidence float64) Claim {
	values := c.Measure.Reader().values(rows)
	if len(values) < len(rows) {
		return Open
	}
	return c.claim(values, confidence)
}

func (c Constraint) claim(values []float64, confidence float64) Claim {
	over := make([]float64, len(values))
	for i, value := range values {
		over[i] = float64(c.Operator.sign() * (value - c.Bound))
	}
	return claimAtMostZero(over, confidence)
}

// claimAtMostZero says whether the mean of the law behind xs is at most 0.
func claimAtMostZero(xs []float64, confidence float64) Claim {
	switch {
	case stats.UpperBound(xs, confidence) <= 0:
		return Holds
	case stats.LowerBound(xs, confidence) > 0:
		return Breaks
	default:
		return Open
	}
}

// ClaimAll says whether all constraints hold, with the confidence: Holds where
// each does with it, Breaks where one does not, by Bonferroni's correction for
// their number.
func ClaimAll(constraints []Constraint, rows []Row, confidence float64) Claim {
	claim := Holds
	strict := 1 - (1-confidence)/float64(max(1, len(constraints)))
	for _, c := range constraints {
		switch {
		case c.Claim(rows, strict) == Breaks:
			return Breaks
		case c.Claim(rows, confidence) != Holds:
			claim = Open
		}
	}
	return claim
}

// Excess adds up how far the means over the rows are beyond the bounds of
// constraints; false where a row has no value for one.
func Excess(constraints []Constraint, rows []Row) (float64, bool) {
	total := 0.0
	for _, c := range constraints {
		values := c.Measure.Reader().values(rows)
		if len(values) < len(rows) || len(rows) == 0 {
			return 0, false
		}
		total += c.Excess(mean(values))
	}
	return total, true
}
