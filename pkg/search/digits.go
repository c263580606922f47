// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math/big"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// digitsAxis holds every number of six significant digits in a range above 0:
// steps that grow with the number, as a logarithmic scale wants them. Its
// numbers are m·10^e with six-digit m, ranked by e and then by m.
type digitsAxis struct {
	first, last int64 // ranks
	log         *logScale
}

// The six-digit mantissas.
const (
	mantissaMin = 100_000
	mantissas   = 900_000
)

func rankOf(mantissa, exponent int64) int64 { return exponent*mantissas + (mantissa - mantissaMin) }

func newDigitsAxis(r numberRange, path *field.Path) (axis, field.ErrorList) {
	first, exact := rankBelow(r.min)
	if !exact {
		first++
	}
	last, _ := rankBelow(r.max)
	if last < first { // so narrow a range that no such number lies in it
		return newStepAxis(r, path)
	}
	return &digitsAxis{first, last, newLogScale(r)}, nil
}

// rankBelow ranks the greatest six-digit number that is not above d, and says
// whether it is d.
func rankBelow(d decimal) (rank int64, exact bool) {
	exponent := d.exponent() - (significantDigits - 1)
	if shift := d.scale + exponent; shift > 0 {
		mantissa, rest := new(big.Int).QuoRem(d.digits, powerOfTen(shift), new(big.Int))
		return rankOf(mantissa.Int64(), int64(exponent)), rest.Sign() == 0
	}
	return rankOf(d.digitsAt(-exponent).Int64(), int64(exponent)), true
}

func (a *digitsAxis) size() int64 { return a.last - a.first + 1 }

func (a *digitsAxis) at(index int64) Value {
	rank := a.first + index
	mantissa := rank % mantissas
	if mantissa < 0 {
		mantissa += mantissas
	}
	exponent := (rank - mantissa) / mantissas
	return scaled(mantissa+mantissaMin, int(exponent)).String()
}

func (a *digitsAxis) find(text string) (Value, bool) {
	d, err := parseDecimal(text)
	if err != nil || d.digits.Sign() <= 0 {
		return "", false
	}
	rank, exact := rankBelow(d)
	return d.String(), exact && a.first <= rank && rank <= a.last
}

// place rounds the number of the scale to six digits.
func (a *digitsAxis) place(u float64) int64 {
	text := strconv.FormatFloat(a.log.number(min(max(u, 0), 1)), 'e', significantDigits-1, 64)
	digits, power, _ := strings.Cut(text, "e")
	mantissa, err1 := strconv.ParseInt(strings.Replace(digits, ".", "", 1), 10, 64)
	exponent, err2 := strconv.ParseInt(power, 10, 64)
	if err1 != nil || err2 != nil {
		panic("search: a float is written as " + text)
	}
	rank := rankOf(mantissa, exponent-(significantDigits-1))
	return min(max(rank, a.first), a.last) - a.first
}

func (a *digitsAxis) coordinate(v Value) float64 { return a.log.coordinate(numberOf(v)) }
