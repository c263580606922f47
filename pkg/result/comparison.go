// SPDX-License-Identifier: Apache-2.0

package result

import (
	"cmp"
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Verdict says how a candidate compares with the baseline in one objective.
type Verdict string

const (
	// Better says that the interval of the difference lies on the good side
	// of 0.
	Better Verdict = "better"
	// Worse says that it lies on the other.
	Worse Verdict = "worse"
	// Undecided says that it holds 0, that there is no interval, or that the
	// seeds changed nothing on either side.
	Undecided Verdict = "undecided"
)

// Comparison sets a candidate against the baseline in one objective.
type Comparison struct {
	Measure Measure `json:"metric"`
	// Difference is candidate − baseline, paired by seed, over the seeds
	// under which both have a value; N is their number.
	Difference Estimate `json:"difference"`
	// Relative is the mean difference ÷ the size of the baseline's mean over
	// those seeds; absent where that is 0.
	Relative *float64 `json:"relative,omitempty"`
	// RelativeHalfWidth is half the width of the difference's interval in
	// the same measure; absent without an interval.
	RelativeHalfWidth *float64 `json:"relativeHalfWidth,omitempty"`
	Verdict           Verdict  `json:"verdict"`
}

// compareRows sets the rows of a candidate against those of the baseline, both
// ascending by seed.
func compareRows(candidate, baseline []Row, o Objective) Comparison {
	xs, ys := pairs(candidate, baseline, o.Measure.source())
	difference := stats.PairedDifference(xs, ys, Confidence)
	c := Comparison{Measure: o.Measure, Difference: Estimate(difference), Verdict: verdict(difference, o.Direction)}
	if constant(xs) && constant(ys) {
		c.Verdict = Undecided
	}
	base := math.Abs(stats.MeanInterval(ys, Confidence).Mean)
	if base == 0 {
		return c
	}
	relative := difference.Mean / base
	c.Relative = &relative
	if difference.N > 1 {
		width := halfWidth(difference) / base
		c.RelativeHalfWidth = &width
	}
	return c
}

// pairs returns a measure's values under the seeds where both sides have one.
func pairs(a, b []Row, of source) (xs, ys []float64) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].Seed < b[j].Seed:
			i++
		case a[i].Seed > b[j].Seed:
			j++
		default:
			x, hasX := of.value(&a[i])
			y, hasY := of.value(&b[j])
			if hasX && hasY {
				xs, ys = append(xs, x), append(ys, y)
			}
			i, j = i+1, j+1
		}
	}
	return xs, ys
}

// constant reports whether all observations are one: seeds that change nothing
// are one observation, however often it is counted.
func constant(xs []float64) bool {
	return !slices.ContainsFunc(xs, func(x float64) bool { return x != xs[0] })
}

func verdict(difference stats.Interval, d Direction) Verdict {
	above, below := difference.Low > 0, difference.High < 0
	switch {
	case difference.N < 2 || !above && !below:
		return Undecided
	case above == (d == Maximize):
		return Better
	default:
		return Worse
	}
}

func halfWidth(i stats.Interval) float64 { return (i.High - i.Low) / 2 }

// bySeed returns rows of one point by seed.
func bySeed(rows []Row) []Row {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Compare(a.Seed, b.Seed) })
	return rows
}
