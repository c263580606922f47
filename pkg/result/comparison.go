// SPDX-License-Identifier: Apache-2.0

package result

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// Effect says how a candidate compares with the baseline in one objective.
type Effect string

const (
	// Better says that the difference is on the good side of 0, and that chance
	// gives none so large.
	Better Effect = "better"
	// Worse says that it lies on the other.
	Worse Effect = "worse"
	// Undecided says that chance may have given it, that there are fewer than two
	// seeds, or that the seeds changed nothing on either side.
	Undecided Effect = "undecided"
	// Differs says of a measure of which neither way is the good one, such as
	// utilization or a derived metric, that chance gives no difference so large.
	Differs Effect = "differs"
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
	// PValue is that of the paired t-test, to both sides. In a leaderboard it is
	// corrected for the other candidates. It is absent where nothing is tested.
	PValue  *float64 `json:"pValue,omitempty"`
	Verdict Effect   `json:"verdict"`

	direction Direction
}

// compareRows sets the rows of a candidate against those of the baseline, both
// ascending by seed. The verdict is that of this comparison by itself.
func compareRows(candidate, baseline []Row, o Objective) Comparison {
	c := compareMeasure(candidate, baseline, o.Measure)
	c.direction = o.Direction
	if c.PValue != nil {
		c.decide(*c.PValue)
	}
	return c
}

// compareMeasure is compareRows without a verdict.
func compareMeasure(candidate, baseline []Row, m Measure) Comparison {
	xs, ys := pairs(candidate, baseline, m.Reader())
	difference := stats.PairedDifference(xs, ys, Confidence)
	c := Comparison{Measure: m, Difference: Estimate(difference), Verdict: Undecided}
	if p, ok := pValue(xs, ys); ok {
		c.PValue = &p
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

// pValue returns that of the paired t-test, to both sides; false where there is
// nothing to test: fewer than two pairs, or seeds that change nothing on either
// side.
func pValue(xs, ys []float64) (float64, bool) {
	if len(xs) < 2 || constant(xs) && constant(ys) {
		return 1, false
	}
	return stats.TwoSidedP(stats.PairedAboveP(xs, ys), stats.PairedAboveP(ys, xs)), true
}

// decide gives the verdict at a p-value, which may be corrected for others.
func (c *Comparison) decide(p float64) {
	c.PValue = &p
	switch {
	case p > 1-Confidence:
		c.Verdict = Undecided
	case (c.Difference.Mean > 0) == (c.direction == Maximize):
		c.Verdict = Better
	default:
		c.Verdict = Worse
	}
}

// compare tests all entrants against the baseline. For each objective the
// p-values are corrected together.
func (s *leaderboardBuilder) compare() {
	if s.baseline == nil {
		return
	}
	var tested []*entry
	for i := range s.entries {
		if e := &s.entries[i]; e != s.baseline && len(e.full) > 1 {
			e.pValues = make([]float64, len(s.Objectives))
			tested = append(tested, e)
		}
	}
	for o := range s.Objectives {
		var ps []float64
		var of []*entry
		for _, e := range tested {
			p, ok := pValue(pairs(e.full, s.baseline.full, s.readers[o]))
			if e.pValues[o] = 1; ok {
				ps, of = append(ps, p), append(of, e)
			}
		}
		for i, p := range stats.Holm(ps) {
			of[i].pValues[o] = p
		}
		s.compared = max(s.compared, len(ps))
	}
}

// pairs returns a measure's values under the seeds where both sides have one.
func pairs(a, b []Row, of Reader) (xs, ys []float64) { return pairsOf(a, b, of, of) }

// pairsOf is pairs where each side has a measure of its own.
func pairsOf(a, b []Row, ofA, ofB Reader) (xs, ys []float64) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].Seed < b[j].Seed:
			i++
		case a[i].Seed > b[j].Seed:
			j++
		default:
			x, hasX := ofA.Value(&a[i])
			y, hasY := ofB.Value(&b[j])
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

func halfWidth(i stats.Interval) float64 { return (i.High - i.Low) / 2 }

// bySeed returns rows of one point by seed.
func bySeed(rows []Row) []Row {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Compare(a.Seed, b.Seed) })
	return rows
}

// Texts prints a difference in % of the baseline, or where the
// baseline is 0 in the metric's own unit.
func (c *Comparison) Texts(seeds int) (difference, margin, verdict string) {
	if c.Difference.N == 0 {
		return figure.Absent, "", string(c.Verdict)
	}
	verdict = string(c.Verdict)
	if c.Difference.N < seeds {
		verdict += fmt.Sprintf(" (n=%d)", c.Difference.N)
	}
	if c.multiple() {
		return c.multipleTexts(verdict)
	}
	mean, width, decimals, suffix := c.Difference.Mean, halfWidth(stats.Interval(c.Difference)), 1, "%"
	if c.Relative != nil {
		mean = *c.Relative * 100
		if math.Abs(mean) >= 100 {
			decimals = 0
		}
		if c.RelativeHalfWidth != nil {
			width = *c.RelativeHalfWidth * 100
		}
	} else {
		d := c.Measure.Unit().Display()
		mean, width, decimals, suffix = mean*d.Factor, width*d.Factor, 2, d.Suffix
		if suffix == "%" {
			suffix = "points"
		}
	}
	if c.Difference.N > 1 {
		margin = "± " + figure.Fixed(width, decimals) + " "
	}
	if c.isCut() {
		margin = fmt.Sprintf("(-100 to %s) ", figure.Signed(mean+width, decimals))
	}
	return figure.Signed(mean, decimals), strings.TrimRight(margin+suffix, " "), verdict
}

// multiple reports whether the change is printed as a multiple of the baseline: +26056 % says less than
// 262 times.
func (c *Comparison) multiple() bool { return c.Relative != nil && figure.IsMultiple(*c.Relative) }

// multipleTexts are Texts of a multiple, such as 262, ± 83 times.
func (c *Comparison) multipleTexts(verdict string) (difference, margin, word string) {
	times := 1 + *c.Relative
	difference, margin = figure.Significant(times, shownDigits), "times"
	if c.Difference.N > 1 && c.RelativeHalfWidth != nil {
		decimals := 0
		if _, fraction, pointed := strings.Cut(difference, "."); pointed {
			decimals = len(fraction)
		}
		margin = "± " + figure.Fixed(*c.RelativeHalfWidth, decimals) + " times"
	}
	return difference, margin, verdict
}

// Changes says how the second side compares with the first, behind the name of what is compared:
// changes by +6.2 ± 0.3 % from the baseline, or is 262 ± 83 times the baseline's.
func (c *Comparison) Changes(seeds int, from string) string {
	difference, margin, _ := c.Texts(seeds)
	change := strings.TrimSpace(difference + " " + margin)
	if c.multiple() {
		return fmt.Sprintf("is %s that of %s", change, from)
	}
	return fmt.Sprintf("changes by %s from %s", change, from)
}

// RelativeLow is the lower end of the interval of the relative change. A figure that is never negative
// loses all of itself at most.
func (c *Comparison) RelativeLow() float64 {
	low := *c.Relative - *c.RelativeHalfWidth
	if u := c.Measure.Unit(); u != Number && u != Ratio && low < -1 {
		return -1
	}
	return low
}

// isCut reports whether the interval of the relative change is cut at -100 %.
func (c *Comparison) isCut() bool {
	return c.Relative != nil && c.RelativeHalfWidth != nil && c.RelativeLow() > *c.Relative-*c.RelativeHalfWidth
}
