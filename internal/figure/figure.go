// SPDX-License-Identifier: Apache-2.0

// Package figure formats numbers for people. It does not know what they measure.
package figure

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Absent stands where nothing was measured.
const Absent = "–"

// Fixed prints a number with a number of decimals, and never a negative zero.
func Fixed(x float64, decimals int) string {
	text := strconv.FormatFloat(x, 'f', decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

// Signed is Fixed with a sign before everything but zero.
func Signed(x float64, decimals int) string {
	text := Fixed(x, decimals)
	if strings.Trim(text, "0.") == "" || strings.HasPrefix(text, "-") {
		return text
	}
	return "+" + text
}

// PValue prints a p-value with the sign of its relation, such as = 0.02.
func PValue(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return "= " + strconv.FormatFloat(p, 'g', 2, 64)
}

// Shortest prints a number with as many digits as tell it from all others.
func Shortest(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Percent prints a share in whole percent, such as 95%.
func Percent(share float64) string { return Fixed(share*100, 0) + "%" }

// Share prints a share in percent with a decimal where it needs one, such as 12.5 %.
func Share(share float64) string {
	return strings.TrimSuffix(strings.TrimRight(Fixed(share*100, 1), "0"), ".") + " %"
}

// Plural prints a number of things, such as 2 seeds.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// maxSeedsListed bounds how many seeds a sentence lists.
const maxSeedsListed = 8

// Seeds lists ascending seeds, such as 42, 43.
func Seeds(seeds []int64) string {
	var words []string
	for _, seed := range seeds[:min(len(seeds), maxSeedsListed)] {
		words = append(words, strconv.FormatInt(seed, 10))
	}
	text := strings.Join(words, ", ")
	if len(seeds) > maxSeedsListed {
		text += fmt.Sprintf(", … %d", seeds[len(seeds)-1])
	}
	return text
}

// NamedSeeds lists ascending seeds in a sentence, such as seeds 42, 43.
func NamedSeeds(seeds []int64) string {
	if len(seeds) == 1 {
		return "seed " + Seeds(seeds)
	}
	return "seeds " + Seeds(seeds)
}

// Significant prints a number with a number of significant digits, and those before the point in any
// case; zeros at its end are left out.
func Significant(x float64, digits int) string {
	if x == 0 {
		return "0"
	}
	decimals := max(0, digits-1-int(math.Floor(math.Log10(math.Abs(x)))))
	text := Fixed(x, decimals)
	if strings.Contains(text, ".") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// timesFrom is the relative change from which people read it as a multiple.
const timesFrom = 10

// IsMultiple reports whether a relative change is so great that it is printed as a multiple.
func IsMultiple(change float64) bool { return change >= timesFrom }

// Change prints a relative change in percent with a sign, such as +12.5 %.
func Change(change float64, digits int) string {
	text := Significant(change*100, digits)
	if !strings.HasPrefix(text, "-") {
		text = "+" + text
	}
	return text + " %"
}

// Compared says how a value compares with another one by its relative change, such as 12.5 % above
// or 220 times; what follows names the other one.
func Compared(change float64) string {
	switch {
	case IsMultiple(change):
		return Significant(1+change, 3) + " times"
	case change < 0:
		return Significant(-100*change, 3) + " % below"
	case change > 0:
		return Significant(100*change, 3) + " % above"
	default:
		return "equal to"
	}
}
