// SPDX-License-Identifier: Apache-2.0

package search

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// maxDecimalLength bounds the text of a number, in bytes.
const maxDecimalLength = 64

var (
	errNotDecimal  = errors.New(`must be a decimal number, such as "2.5"`)
	errLongDecimal = fmt.Errorf("must be at most %d characters long", maxDecimalLength)
)

var ten = big.NewInt(10)

// decimal is the number digits·10^-scale, exactly. The scale is never negative.
type decimal struct {
	digits *big.Int
	scale  int
}

// CanonicalDecimal writes a decimal number, such as "-2.50", the one way that
// points hold it: without needless zeros and signs ("-2.5"). The number may
// begin with a minus and has digits on both sides of a point, if there is one.
func CanonicalDecimal(text string) (string, error) {
	d, err := parseDecimal(text)
	if err != nil {
		return "", err
	}
	return d.String(), nil
}

func parseDecimal(text string) (decimal, error) {
	if len(text) > maxDecimalLength {
		return decimal{}, errLongDecimal
	}
	unsigned, _ := strings.CutPrefix(text, "-")
	whole, fraction, point := strings.Cut(unsigned, ".")
	if !isDigits(whole) || point && !isDigits(fraction) {
		return decimal{}, errNotDecimal
	}
	digits, ok := new(big.Int).SetString(whole+fraction, 10)
	if !ok {
		return decimal{}, errNotDecimal
	}
	if unsigned != text {
		digits.Neg(digits)
	}
	return decimal{digits, len(fraction)}, nil
}

func isDigits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}

// String returns the canonical form.
func (d decimal) String() string {
	if d.digits.Sign() == 0 {
		return "0"
	}
	text := new(big.Int).Abs(d.digits).String()
	if d.scale > 0 {
		if missing := d.scale + 1 - len(text); missing > 0 {
			text = strings.Repeat("0", missing) + text
		}
		point := len(text) - d.scale
		fraction := strings.TrimRight(text[point:], "0")
		text = strings.TrimSuffix(text[:point]+"."+fraction, ".")
	}
	if d.digits.Sign() < 0 {
		text = "-" + text
	}
	return text
}

// digitsAt returns the digits of d at a scale that is not below its own.
func (d decimal) digitsAt(scale int) *big.Int {
	return new(big.Int).Mul(d.digits, powerOfTen(scale-d.scale))
}

func (d decimal) sub(e decimal) decimal {
	scale := max(d.scale, e.scale)
	return decimal{new(big.Int).Sub(d.digitsAt(scale), e.digitsAt(scale)), scale}
}

func (d decimal) isWhole() bool {
	return new(big.Int).Rem(d.digits, powerOfTen(d.scale)).Sign() == 0
}

// exponent returns the power of ten of the leading digit of d, which is not 0.
func (d decimal) exponent() int {
	return len(new(big.Int).Abs(d.digits).String()) - 1 - d.scale
}

// scaled returns digits·10^exponent for an exponent of either sign.
func scaled(digits int64, exponent int) decimal {
	d := decimal{big.NewInt(digits), max(-exponent, 0)}
	if exponent > 0 {
		d.digits.Mul(d.digits, powerOfTen(exponent))
	}
	return d
}

func powerOfTen(n int) *big.Int {
	return new(big.Int).Exp(ten, big.NewInt(int64(n)), nil)
}

// numberOf returns the number nearest to a decimal text, and 0 for a text that
// is no number: a baseline may hold anything.
func numberOf(v Value) float64 {
	number, err := strconv.ParseFloat(v, 64)
	if err != nil || math.IsNaN(number) {
		return 0
	}
	return number
}
