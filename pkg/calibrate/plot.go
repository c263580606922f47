// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"math"
	"strconv"
)

// panel is the plot of one metric: predicted against measured.
type panel struct {
	metric Metric
	// scale turns seconds into the panel's unit, end is where its axes end.
	scale, end float64
	unit       string
	dots       []dot
}

// dot is one request, in the panel's unit.
type dot struct {
	measured, predicted float64
	heldBack            bool
}

// panels returns the plots of all metrics.
func panels(judgements []*Judgement) [Metrics]panel {
	var all [Metrics]panel
	for m := range Metrics {
		p := panel{metric: m, scale: 1, unit: "s"}
		if m == TPOT {
			p.scale, p.unit = 1e3, "ms"
		}
		largest := 0.0
		for _, j := range judgements {
			for i := range j.MeasuredTimes {
				d := dot{m.Of(j.MeasuredTimes[i]) * p.scale, m.Of(j.PredictedTimes[i]) * p.scale, j.HeldBack}
				if math.IsNaN(d.measured) {
					continue
				}
				largest = max(largest, d.measured, d.predicted)
				p.dots = append(p.dots, d)
			}
		}
		p.end = roundUp(largest)
		all[m] = p
	}
	return all
}

// roundUp returns a round number at least as large, so that a quarter of an axis
// is a number that one can read.
func roundUp(v float64) float64 {
	if v <= 0 {
		return 1
	}
	power := 1.0
	for power > v {
		power /= 10
	}
	for power*10 <= v {
		power *= 10
	}
	for _, step := range []float64{1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8} {
		if v <= step*power {
			return step * power
		}
	}
	return 10 * power
}

// label writes a number of an axis without the last digits, where a float is
// not quite what one means by it.
func label(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
