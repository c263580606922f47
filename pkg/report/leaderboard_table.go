// SPDX-License-Identifier: Apache-2.0

package report

import (
	"slices"
	"strconv"
	"strings"

	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
)

func (l board) grid() *grid {
	var ranks, fronts, names []string
	widths := l.parameterWidths()
	for i := range l.Candidates {
		c := &l.Candidates[i]
		ranks = append(ranks, rankText(c))
		fronts = append(fronts, frontText(c))
		names = append(names, candidateName(c, widths))
	}
	g := &grid{}
	g.add("rank", true, ranks)
	g.add("", false, fronts)
	g.add("candidate", false, names)
	if kinds, found := l.kinds(); found {
		g.add("best of its kind", false, kinds)
	}
	l.addDemand(g)
	if capacities, unit := l.capacities(); capacities != nil {
		g.add("capacity"+unit+" ↑", false, capacities)
	}
	for i, o := range l.Objectives {
		if l.repeats(o) {
			continue
		}
		g.add(o.Measure.Unit().Title(o.Measure.String())+" "+arrow(o.Direction), false, l.means(o.Measure))
		if l.Baseline != nil {
			g.add("versus baseline", false, l.comparisons(i))
		}
	}
	for _, c := range l.Constraints {
		d := c.Measure.Unit().Display()
		bound := strings.TrimSpace(strings.TrimSuffix(c.Measure.Unit().Text(c.Bound), d.Suffix))
		g.add(c.Measure.Unit().Title(c.Measure.String())+" "+c.Operator.Symbol()+" "+bound, false, l.kept(c))
	}
	if completion := result.MustParseMetric("completionRate"); l.needsColumn(completion) {
		g.add(completion.Unit().Title("completed"), false, l.means(result.Of(completion)))
	}
	if origins, found := l.origins(); found {
		g.add("policy", false, origins)
	}
	return g
}

// repeats says whether the column of an objective would say what that of a
// constraint does, where the capacity ranks.
func (l board) repeats(o result.Objective) bool {
	capacities, _ := l.capacities()
	return capacities != nil && l.Baseline == nil && slices.ContainsFunc(l.Constraints, func(c result.Constraint) bool { return c.Measure == o.Measure })
}

// capacities are the texts of the candidates' brackets, nil if none has one, and their unit.
func (l board) capacities() (texts []string, unit string) {
	found := false
	for i := range l.Candidates {
		c := l.Candidates[i].Capacity
		texts = append(texts, bracketText(c))
		if c != nil && c.RequestsPerSecond == 1 {
			unit = rateUnit
		}
		found = found || c != nil
	}
	if !found {
		return nil, ""
	}
	return texts, unit
}

func rankText(c *result.Ranked) string {
	if !c.Complete() {
		return figure.Absent
	}
	return strconv.Itoa(c.Rank)
}

// noteworthy is the probability of being on the front from which a table shows
// it.
const noteworthy = 0.05

func frontText(c *result.Ranked) string {
	text := ""
	if c.Pareto {
		text = "*"
	}
	if p := c.ParetoProbability; p != nil && *p >= noteworthy && *p < 1 {
		text += figure.Fixed(*p*100, 0) + "%"
	}
	return text
}

func arrow(d result.Direction) string {
	if d == result.Maximize {
		return "↑"
	}
	return "↓"
}

// parameterWidths returns the width of each parameter's text, so that values
// of one parameter stand in line.
func (l board) parameterWidths() []int {
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

func candidateName(c *result.Ranked, widths []int) string {
	var parts []string
	for i, p := range c.Parameters {
		parts = append(parts, pad(p.String(), widths[i], false))
	}
	if len(parts) == 0 {
		parts = append(parts, result.OnlyPoint)
	}
	if c.Baseline {
		parts = append(parts, "(baseline)")
	}
	return strings.TrimRight(strings.Join(parts, " "), " ")
}

func (l board) means(m result.Measure) []string {
	var intervals []stats.Interval
	for i := range l.Candidates {
		intervals = append(intervals, l.Candidates[i].Metrics[m.String()])
	}
	return joinCells(figures(intervals, m.Unit(), len(l.Seeds)))
}

// kept prints the means of a constraint's measure, and marks those that break
// it.
func (l board) kept(c result.Constraint) []string {
	marks := make([]string, len(l.Candidates))
	for i := range l.Candidates {
		if figure, ok := l.Candidates[i].Metrics[c.Measure.String()]; ok && c.Excess(figure.Mean) > 0 {
			marks[i] = "✗"
		}
	}
	return joinCells(l.means(c.Measure), marks)
}

// comparisons prints the candidates' differences from the baseline in one
// objective.
func (l board) comparisons(objective int) []string {
	var differences, margins, verdicts []string
	for i := range l.Candidates {
		difference, margin, word := "", "", ""
		if c := &l.Candidates[i]; !c.Baseline {
			difference, margin, word = c.VersusBaseline[objective].Texts(len(l.Seeds))
		}
		differences, margins, verdicts = append(differences, difference), append(margins, margin), append(verdicts, word)
	}
	return joinCells(joinCells(differences, margins), verdicts)
}

// needsColumn says whether a share that should be 1 is not, and no objective
// shows it.
func (l board) needsColumn(m result.Metric) bool {
	for _, o := range l.Objectives {
		if o.Measure == result.Of(m) {
			return false
		}
	}
	for _, c := range l.Constraints {
		if c.Measure == result.Of(m) {
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
