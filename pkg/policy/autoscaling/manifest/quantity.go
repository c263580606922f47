// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// suffixes are those of quantities, with their powers of two or ten.
var suffixes = map[string]struct{ base, exponent int64 }{
	"Ki": {2, 10}, "Mi": {2, 20}, "Gi": {2, 30}, "Ti": {2, 40}, "Pi": {2, 50}, "Ei": {2, 60},
	"n": {10, -9}, "u": {10, -6}, "m": {10, -3}, "": {10, 0},
	"k": {10, 3}, "M": {10, 6}, "G": {10, 9}, "T": {10, 12}, "P": {10, 15}, "E": {10, 18},
}

// thousandths reads a quantity of Kubernetes in thousandths, rounded away from 0, as the
// controller does. It wants a digit, which Kubernetes does not.
func thousandths(written string) (int64, error) {
	wrong := fmt.Errorf("must be a quantity, such as 500m or 5")
	end := strings.IndexFunc(written, func(r rune) bool { return !strings.ContainsRune("+-.0123456789", r) })
	if end < 0 {
		end = len(written)
	}
	digits, suffix := strings.TrimPrefix(written[:end], "+"), written[end:]
	factor, ok := factorOf(suffix)
	whole := strings.Replace(strings.TrimPrefix(digits, "-"), ".", "", 1)
	if !ok || len(written) > 64 || whole == "" || strings.Trim(whole, "0123456789") != "" || strings.HasPrefix(written, "+-") {
		return 0, wrong
	}
	value, ok := new(big.Rat).SetString(strings.TrimSuffix(digits, "."))
	if !ok {
		return 0, wrong
	}
	value.Mul(value.Mul(value, factor), big.NewRat(1000, 1))
	n, rest := new(big.Int).QuoRem(value.Num(), value.Denom(), new(big.Int))
	n.Add(n, big.NewInt(int64(rest.Sign())))
	switch {
	case n.IsInt64():
		return n.Int64(), nil
	case n.Sign() < 0:
		return math.MinInt64, nil
	default:
		return math.MaxInt64, nil
	}
}

// factorOf returns what a suffix, such as Ki or e3, multiplies by.
func factorOf(suffix string) (*big.Rat, bool) {
	power, known := suffixes[suffix]
	if !known {
		if suffix[0] != 'e' && suffix[0] != 'E' {
			return nil, false
		}
		exponent, err := strconv.ParseInt(suffix[1:], 10, 8)
		if err != nil || exponent < -30 || exponent > 30 {
			return nil, false
		}
		power.base, power.exponent = 10, exponent
	}
	factor := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(power.base), big.NewInt(max(power.exponent, -power.exponent)), nil))
	if power.exponent < 0 {
		factor.Inv(factor)
	}
	return factor, true
}
