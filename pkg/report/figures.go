// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"math"
	"strings"

	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// figures prints estimates that stand in one column or line with one number of
// decimals. Intervals with N == 0 are absent. seeds is how many observations
// each should rest on; where it is another number, that is said.
func figures(intervals []stats.Interval, u result.Unit, seeds int) (means, margins []string) {
	d := u.Display()
	decimals := d.Decimals
	if decimals == result.ThreeDigits {
		decimals = decimalsOf(intervals, d.Factor)
	}
	for _, i := range intervals {
		mean, margin := figure.Absent, ""
		if i.N > 0 {
			mean = figure.Fixed(i.Mean*d.Factor, decimals)
		}
		if i.N > 1 {
			margin = "± " + figure.Fixed((i.High-i.Low)/2*d.Factor, decimals)
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

// decimalsOf returns how many decimals show three significant digits of the
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
	for limit := 100.0; smallest < limit && decimals < maxDecimals; limit /= 10 {
		decimals++
	}
	return decimals
}
