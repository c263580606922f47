// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// significantDigits is how finely continuous parameters are resolved: enough
// that no simulation tells neighbours apart, few enough to read.
const significantDigits = 6

// numberRange is the range of a number, checked: min ≤ max and step > 0.
type numberRange struct {
	min, max, step decimal
	logScale       bool
}

// parseRange reads the range of a parameter. A step that is not given is 1 for
// integers, and for continuous numbers the one that gives six digits.
func (p Parameter) parseRange(path *field.Path) (numberRange, field.ErrorList) {
	var errs field.ErrorList
	parse := func(name, text string) decimal {
		d, err := parseDecimal(text)
		switch {
		case text == "":
			errs = append(errs, field.Required(path.Child(name), errNotDecimal.Error()))
		case err != nil:
			errs = append(errs, field.Invalid(path.Child(name), text, err.Error()))
		case p.Kind == Integer && !d.isWhole():
			errs = append(errs, field.Invalid(path.Child(name), text, "must be a whole number, since the parameter takes no others"))
		}
		return d
	}
	r := numberRange{min: parse("min", p.Min), max: parse("max", p.Max), logScale: p.LogScale}
	switch {
	case p.Kind == Stepped || p.Kind == Integer && p.Step != "":
		r.step = parse("step", p.Step)
	case p.Kind == Integer:
		r.step = scaled(1, 0)
	case p.Step != "":
		errs = append(errs, field.Forbidden(path.Child("step"), "a continuous parameter has no step"))
	}
	if len(errs) > 0 {
		return r, errs
	}
	if p.Kind == Continuous {
		r.step = resolution(r.max.sub(r.min))
	}
	return r, r.validate(p, path)
}

// resolution returns the step that resolves a width to six digits.
func resolution(width decimal) decimal {
	if width.digits.Sign() == 0 {
		return scaled(1, 0)
	}
	return scaled(1, width.exponent()-(significantDigits-1))
}

func (r numberRange) validate(p Parameter, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if r.max.sub(r.min).digits.Sign() < 0 {
		errs = append(errs, field.Invalid(path.Child("max"), p.Max, "must not be less than min, "+p.Min))
	}
	if r.step.digits.Sign() <= 0 {
		errs = append(errs, field.Invalid(path.Child("step"), p.Step, "must be greater than 0"))
	}
	if r.logScale && r.min.digits.Sign() <= 0 {
		errs = append(errs, field.Invalid(path.Child("min"), p.Min, "must be greater than 0 on a logarithmic scale"))
	}
	return errs
}

// logScale maps numbers to coordinates in [0, 1] by their logarithms.
type logScale struct{ low, width float64 } // of the logarithms

func newLogScale(r numberRange) *logScale {
	low := stats.Log(r.min.float())
	return &logScale{low, stats.Log(r.max.float()) - low}
}

// number returns the number at a coordinate.
func (l *logScale) number(u float64) float64 {
	return stats.Exp(l.low + float64(l.width*u))
}

// coordinate returns the place of a number: of one beyond an end, the end.
func (l *logScale) coordinate(number float64) float64 {
	if l.width == 0 {
		return 0.5
	}
	if number <= 0 {
		return 0
	}
	return min(max((stats.Log(number)-l.low)/l.width, 0), 1)
}

// float returns the number nearest to d.
func (d decimal) float() float64 {
	f, err := strconv.ParseFloat(d.String(), 64)
	if err != nil || math.IsInf(f, 0) {
		panic("search: decimal beyond float64: " + d.String())
	}
	return f
}
