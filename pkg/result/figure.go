// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// absent stands where nothing was measured.
const absent = "–"

// display is how people read a unit.
type display struct {
	factor float64
	suffix string
	// decimals is their number; fourDigits means as many as show four
	// significant digits.
	decimals int
}

const fourDigits = -1

func (u Unit) display() display {
	switch u {
	case Seconds:
		return display{1000, "ms", fourDigits}
	case Share:
		return display{100, "%", 2}
	case PerSecond:
		return display{1, "/s", fourDigits}
	case Index, Ratio:
		return display{1, "", 3}
	case Hours:
		return display{1, "h", fourDigits}
	case Currency:
		return display{1, "", 2}
	case CurrencyPerRequest:
		return display{1000, "per 1000", fourDigits}
	default:
		return display{1, "", fourDigits}
	}
}

// title is the metric with its unit for people.
func title(name string, u Unit) string {
	if suffix := u.display().suffix; suffix != "" {
		return name + " " + suffix
	}
	return name
}

// figures prints estimates that stand in one column or line with one number of
// decimals. Intervals with N == 0 are absent. seeds is how many observations
// each should rest on; where it is another number, that is said.
func figures(intervals []stats.Interval, u Unit, seeds int) (means, margins []string) {
	d := u.display()
	decimals := d.decimals
	if decimals == fourDigits {
		decimals = decimalsOf(intervals, d.factor)
	}
	for _, i := range intervals {
		mean, margin := absent, ""
		if i.N > 0 {
			mean = fixed(i.Mean*d.factor, decimals)
		}
		if i.N > 1 {
			margin = "± " + fixed(halfWidth(i)*d.factor, decimals)
		}
		if 0 < i.N && i.N != seeds {
			margin = strings.TrimLeft(fmt.Sprintf("%s (n=%d)", margin, i.N), " ")
		}
		means, margins = append(means, mean), append(margins, margin)
	}
	return means, margins
}

// maxDecimals keeps one tiny number from widening a whole column.
const maxDecimals = 4

// decimalsOf returns how many decimals show four significant digits of the
// smallest mean that is not 0; none where all are whole.
func decimalsOf(intervals []stats.Interval, factor float64) int {
	smallest, whole := math.MaxFloat64, true
	for _, i := range intervals {
		size := math.Abs(i.Mean * factor)
		if i.N == 0 || size == 0 {
			continue
		}
		smallest = math.Min(smallest, size)
		whole = whole && size == math.Floor(size) && i.Low == i.High
	}
	if whole {
		return 0
	}
	decimals := 0
	for limit := 1000.0; smallest < limit && decimals < maxDecimals; limit /= 10 {
		decimals++
	}
	return decimals
}

// fixed prints a number with so many decimals, and never a negative zero.
func fixed(x float64, decimals int) string {
	text := strconv.FormatFloat(x, 'f', decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

// signed is fixed with a sign before everything but zero.
func signed(x float64, decimals int) string {
	text := fixed(x, decimals)
	if strings.Trim(text, "0.") == "" || strings.HasPrefix(text, "-") {
		return text
	}
	return "+" + text
}

// pText prints a p-value.
func pText(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return "= " + strconv.FormatFloat(p, 'g', 2, 64)
}

// shortest prints a number with as many digits as tell it from all others.
func shortest(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
