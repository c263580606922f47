// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Table prints the leaderboard for people: latencies in ms, shares in %, each
// objective's mean with half the width of its interval and, where there is a
// baseline, the difference from it. Of a search for capacities the loads that were
// tried follow. What the figures rest on stands below.
func (l *Leaderboard) Table(w io.Writer) error {
	var b bytes.Buffer
	l.grid().write(&b)
	b.WriteByte('\n')
	if curve := l.curve(); curve != nil {
		curve.write(&b)
		b.WriteByte('\n')
	}
	for _, note := range l.notes() {
		fmt.Fprintln(&b, note)
	}
	_, err := b.WriteTo(w)
	return err
}

func (l *Leaderboard) grid() *grid {
	var ranks, fronts, names []string
	widths := l.parameterWidths()
	for i := range l.Candidates {
		c := &l.Candidates[i]
		ranks = append(ranks, c.rankText())
		fronts = append(fronts, c.frontText())
		names = append(names, c.name(widths))
	}
	g := &grid{}
	g.add("rank", true, ranks)
	g.add("", false, fronts)
	g.add("candidate", false, names)
	if kinds, found := l.kinds(); found {
		g.add("best of its kind", false, kinds)
	}
	if capacities, found := l.capacities(); found {
		g.add("capacity ↑", false, capacities)
	}
	for i, o := range l.Objectives {
		if l.repeats(o) {
			continue
		}
		g.add(title(o.Measure.String(), o.Measure.Unit())+" "+arrow(o.Direction), false, l.means(o.Measure))
		if l.Baseline != nil {
			g.add("versus baseline", false, l.comparisons(i))
		}
	}
	for _, c := range l.Constraints {
		d := c.Measure.Unit().display()
		bound := strings.TrimSpace(strings.TrimSuffix(boundText(c.Bound, c.Measure.Unit()), d.suffix))
		g.add(title(c.Measure.String(), c.Measure.Unit())+" "+c.Operator.symbol()+" "+bound, false, l.kept(c))
	}
	if completion := MustParseMetric("completionRate"); l.needsColumn(completion) {
		g.add(title("completed", completion.Unit()), false, l.means(Of(completion)))
	}
	return g
}

// repeats says whether the column of an objective would say what that of a
// constraint does, where the capacity ranks.
func (l *Leaderboard) repeats(o Objective) bool {
	_, found := l.capacities()
	return found && l.Baseline == nil && slices.ContainsFunc(l.Constraints, func(c Constraint) bool { return c.Measure == o.Measure })
}

// capacities are the texts of the candidates' brackets, if any has one.
func (l *Leaderboard) capacities() (texts []string, found bool) {
	for i := range l.Candidates {
		c := l.Candidates[i].Capacity
		texts = append(texts, c.text())
		found = found || c != nil
	}
	return texts, found
}

func (c *Ranked) rankText() string {
	if !c.Complete() {
		return absent
	}
	return strconv.Itoa(c.Rank)
}

// noteworthy is the probability of being on the front from which a table shows
// it.
const noteworthy = 0.05

func (c *Ranked) frontText() string {
	text := ""
	if c.Pareto {
		text = "*"
	}
	if p := c.ParetoProbability; p != nil && *p >= noteworthy && *p < 1 {
		text += fixed(*p*100, 0) + "%"
	}
	return text
}

func arrow(d Direction) string {
	if d == Maximize {
		return "↑"
	}
	return "↓"
}

// parameterWidths returns the width of each parameter's text, so that values
// of one parameter stand in line.
func (l *Leaderboard) parameterWidths() []int {
	var widths []int
	for _, c := range l.Candidates {
		for i, p := range c.Parameters {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], widest([]string{p.String()}))
		}
	}
	return widths
}

// String returns name=value.
func (a Assignment) String() string { return a.Name + "=" + a.Value }

func (c *Ranked) name(widths []int) string {
	var parts []string
	for i, p := range c.Parameters {
		parts = append(parts, pad(p.String(), widths[i], false))
	}
	if len(parts) == 0 {
		parts = append(parts, fmt.Sprintf("point %d", c.Point))
	}
	if c.Baseline {
		parts = append(parts, "(baseline)")
	}
	return strings.TrimRight(strings.Join(parts, " "), " ")
}

func (l *Leaderboard) means(m Measure) []string {
	var intervals []stats.Interval
	for i := range l.Candidates {
		intervals = append(intervals, l.Candidates[i].Metrics[m.String()])
	}
	return beside(figures(intervals, m.Unit(), len(l.Seeds)))
}

// kept prints the means of a constraint's measure, and marks those that break
// it.
func (l *Leaderboard) kept(c Constraint) []string {
	marks := make([]string, len(l.Candidates))
	for i := range l.Candidates {
		if figure, ok := l.Candidates[i].Metrics[c.Measure.String()]; ok && c.Excess(figure.Mean) > 0 {
			marks[i] = "✗"
		}
	}
	return beside(l.means(c.Measure), marks)
}

// comparisons prints the candidates' differences from the baseline in one
// objective.
func (l *Leaderboard) comparisons(objective int) []string {
	var differences, margins, verdicts []string
	for i := range l.Candidates {
		difference, margin, word := "", "", ""
		if c := &l.Candidates[i]; !c.Baseline {
			difference, margin, word = comparisonTexts(&c.VersusBaseline[objective], len(l.Seeds))
		}
		differences, margins, verdicts = append(differences, difference), append(margins, margin), append(verdicts, word)
	}
	return beside(beside(differences, margins), verdicts)
}

// comparisonTexts prints a difference in % of the baseline, or where the
// baseline is 0 in the metric's own unit.
func comparisonTexts(c *Comparison, seeds int) (difference, margin, verdict string) {
	if c.Difference.N == 0 {
		return absent, "", string(c.Verdict)
	}
	verdict = string(c.Verdict)
	if c.Difference.N < seeds {
		verdict += fmt.Sprintf(" (n=%d)", c.Difference.N)
	}
	mean, width, decimals, suffix := c.Difference.Mean, halfWidth(stats.Interval(c.Difference)), 1, "%"
	if c.Relative != nil {
		mean = *c.Relative * 100
		if c.RelativeHalfWidth != nil {
			width = *c.RelativeHalfWidth * 100
		}
	} else {
		d := c.Measure.Unit().display()
		mean, width, decimals, suffix = mean*d.factor, width*d.factor, 2, d.suffix
		if suffix == "%" {
			suffix = "points"
		}
	}
	if c.Difference.N > 1 {
		margin = "± " + fixed(width, decimals) + " "
	}
	return signed(mean, decimals), strings.TrimRight(margin+suffix, " "), verdict
}

// needsColumn says whether a share that should be 1 is not, and no objective
// shows it.
func (l *Leaderboard) needsColumn(m Metric) bool {
	for _, o := range l.Objectives {
		if o.Measure == Of(m) {
			return false
		}
	}
	for _, c := range l.Constraints {
		if c.Measure == Of(m) {
			return false
		}
	}
	for i := range l.Candidates {
		if interval, ok := l.Candidates[i].Metrics[m.String()]; ok && interval.Mean < 1 {
			return true
		}
	}
	return false
}
