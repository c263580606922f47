// SPDX-License-Identifier: Apache-2.0

package search

import (
	"fmt"
	"math"
	"math/big"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The fractions of a range are at least this part of its larger end, so that a coordinate in
// float64 tells neighbours apart. Logarithms of numbers of 64 digits lose seven more bits.
const (
	finestStep            = 1. / (1 << 48)
	finestLogarithmicStep = 1. / (1 << 41)
)

// stepAxis holds min, min+step, … up to max, in exact arithmetic: floats would
// name the third tenth 0.30000000000000004.
type stepAxis struct {
	first, stride *big.Int // min and step in units of 10^-scale
	scale         int
	count         int64

	min, step float64   // nearly, to place a number of the scale
	log       *logScale // nil where the cells of all steps are equally wide
}

func newStepAxis(r numberRange, path *field.Path) (axis, field.ErrorList) {
	scale := max(r.min.scale, r.max.scale, r.step.scale)
	a := &stepAxis{first: r.min.digitsAt(scale), stride: r.step.digitsAt(scale), scale: scale}
	width := new(big.Int).Sub(r.max.digitsAt(scale), a.first)
	steps := width.Quo(width, a.stride)
	if !steps.IsInt64() || steps.Int64() == math.MaxInt64 {
		return nil, field.ErrorList{field.Invalid(path.Child("step"), r.step.String(), "makes more values than can be numbered; take a larger one")}
	}
	a.count = steps.Int64() + 1
	if longest := a.longest(r.max); longest > maxDecimalLength {
		return nil, field.ErrorList{field.Invalid(path, r.min.String()+" to "+r.max.String(), fmt.Sprintf("has values of up to %d characters, and at most %d are allowed; take numbers with fewer digits", longest, maxDecimalLength))}
	}
	if a.count > 1 && !r.step.isWhole() && r.tooFine() {
		return nil, field.ErrorList{field.Invalid(path, r.min.String()+" to "+r.max.String(), "steps of "+r.step.String()+" are too small next to the ends: in double precision the values are equal")}
	}
	a.min, a.step = r.min.float(), r.step.float()
	if r.logScale {
		a.log = newLogScale(r)
	}
	return a, nil
}

// longest bounds the length of the values up to most, in bytes: sign, whole digits, point, and
// the digits of the scale.
func (a *stepAxis) longest(most decimal) int {
	whole := func(digits *big.Int) int {
		return len(decimal{new(big.Int).Quo(digits, powerOfTen(a.scale)), 0}.String())
	}
	longest := max(whole(a.first), whole(most.digitsAt(a.scale)))
	if a.scale > 0 {
		longest += len(".") + a.scale
	}
	return longest
}

// tooFine says whether float64 holds too few digits for the steps of the range.
func (r numberRange) tooFine() bool {
	finest := finestStep
	if r.logScale {
		finest = finestLogarithmicStep
	}
	return r.step.float() < finest*max(math.Abs(r.min.float()), math.Abs(r.max.float()))
}

func (a *stepAxis) size() int64 { return a.count }

func (a *stepAxis) at(index int64) Value {
	offset := new(big.Int).Mul(a.stride, big.NewInt(index))
	return decimal{offset.Add(offset, a.first), a.scale}.String()
}

func (a *stepAxis) find(text string) (Value, bool) {
	d, err := parseDecimal(text)
	if err != nil {
		return "", false
	}
	scale := max(d.scale, a.scale)
	first := decimal{a.first, a.scale}.digitsAt(scale)
	stride := decimal{a.stride, a.scale}.digitsAt(scale)
	index, rest := first.Sub(d.digitsAt(scale), first).QuoRem(first, stride, new(big.Int))
	return d.String(), rest.Sign() == 0 && index.Sign() >= 0 && index.Cmp(big.NewInt(a.count)) < 0
}

// place takes the step nearest to the number of the scale.
func (a *stepAxis) place(u float64) int64 {
	if a.log == nil {
		return place(u, a.count)
	}
	nearest := math.Floor((a.log.number(min(max(u, 0), 1))-a.min)/a.step + 0.5)
	if nearest >= float64(a.count) {
		return a.count - 1
	}
	return min(int64(math.Max(nearest, 0)), a.count-1)
}

func (a *stepAxis) coordinate(v Value) float64 {
	number := numberOf(v)
	if a.log != nil {
		return a.log.coordinate(number)
	}
	n := float64(a.count)
	return min(max(((number-a.min)/a.step+0.5)/n, 0), 1)
}
