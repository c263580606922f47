// SPDX-License-Identifier: Apache-2.0

package page

import (
	_ "embed" // the template
	"fmt"
	"html/template"
	"io"
	"strings"

	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

//go:embed sweep.html.tmpl
var sweepText string

var sweepTemplate = parsed("sweep", sweepText)

// Sweep is a report of a sweep, and where its figures come from.
type Sweep struct {
	Report *report.Sweep
	// Facts identify the figures: engine, seeds, digests, the command that makes them again.
	Facts []Fact
	// Series are those of the baseline and of the best point; without them, WithoutSeries
	// says how to have them.
	Series        []NamedSeries
	WithoutSeries string
	// Above comes before the report: the links of a server that shows it; "" in a file.
	Above template.HTML
}

// Fact is a thing by its name.
type Fact struct {
	Name, Value string
	// Code says that the value is for a machine.
	Code bool
}

// Write writes the page. It is an error if the leaderboard does not list the best point.
func (s *Sweep) Write(w io.Writer) error {
	view, err := s.view()
	if err != nil {
		return err
	}
	return write(w, sweepTemplate(), view)
}

// sweepView is what the template reads.
type sweepView struct {
	*Sweep
	Policy string
	Style  template.CSS
	Data   *SweepData

	Verdict heading
	Winner  string
	// Steps are those of a rollout, as gates have them.
	Steps   []gate
	Gates   []gate
	Answers []string

	Called      string
	HasBaseline bool
	Nothing     string
	Changes     []change
	Diffs       []diff
	Expected    []expected
	// Uncompared says how many candidates the chart of differences leaves out; "" is none.
	Uncompared string

	Counted, Sampled                            string
	Tables                                      []report.Table
	Notes                                       []string
	HasFront, HasParallel, HasResponse, HasHeat bool
	Responses                                   []response
	// Lineage is nil where no policy evolves.
	Lineage *report.CaptionedTable
	followed
}

func (s *Sweep) view() (*sweepView, error) {
	r := s.Report
	best, baseline := r.Candidate(r.Best), r.Baseline()
	if best == nil {
		return nil, fmt.Errorf("page: the leaderboard does not list point %d", r.Best)
	}
	v := &sweepView{
		Sweep: s, Policy: policy(), Style: template.CSS(style), Data: s.data(), //nolint:gosec // the style is ours
		Winner: sentence(report.LeaderboardVerdict(r.Board)), Gates: gatesOf(r.Gates), Answers: answersTo(r.Gates),
		Called: r.Called(), HasBaseline: baseline != nil && baseline != best,
		Counted: figure.Plural(r.Board.Counts.All, "candidate"), Tables: shortened(r.Tables()), Notes: r.Notes(),
	}
	for _, step := range r.Rollout {
		v.Steps = append(v.Steps, gate{step.Verdict, fmt.Sprintf("%d %%", step.Percent), step.Message})
	}
	if note := report.SeedsOfGates(r.Gates, best); note != "" {
		v.Answers = append(v.Answers, note+".")
	}
	judged := r.Verdict()
	why := judged.Message
	v.Verdict = headingOf(judged.Outcome, upperFirst(why))
	if sentence(why) == v.Winner {
		v.Winner = ""
	}
	if told := r.Decisions(); told != "" {
		v.Winner = strings.TrimSpace(v.Winner + " " + told + ".")
	}
	if judged.Reason == verdict.NoGates && r.SearchesCapacity() {
		v.Verdict.Word, v.Verdict.Why, v.Winner = "Capacity", upperFirst(v.Winner), upperFirst(why)
	}
	v.Nothing, v.Changes = changes(best, baseline)
	for _, d := range r.Diffs {
		v.Diffs = append(v.Diffs, newDiff(d))
	}
	v.Expected = v.expectedOf(best, baseline)
	if shown := len(v.Data.Points.ID); shown < v.Data.All {
		v.Sampled = fmt.Sprintf("The charts show %d of %d candidates: the best, the baseline, the Pareto front, and others at equal distances in the ranking.", shown, v.Data.All)
	}
	v.Uncompared = v.Data.uncompared()
	v.followed = newFollowed(v.Data.Series, s.Series)
	v.charts()
	return v, nil
}

// uncompared says how many of the candidates that the baseline is compared with have a difference in the
// chart, if not all have.
func (d *SweepData) uncompared() string {
	points := map[int]bool{}
	alike := 0
	for i := range d.Versus {
		points[d.Versus[i].Point] = true
		alike += d.Versus[i].Alike
	}
	if shown, all := len(points)+alike, d.All-1; shown < all {
		return fmt.Sprintf("The chart shows %d of %d candidates, the best first.", shown, all)
	}
	return ""
}

// data are the numbers of the page.
func (s *Sweep) data() *SweepData {
	d := NewSweepData(s.Report)
	d.Series = NewSeriesData(s.Series)
	return d
}

// charts says which charts there is something for. The policies that evolve are no axis: each is
// another one.
func (v *sweepView) charts() {
	d := v.Data
	parameters := len(d.Parameters)
	if d.Evolution != nil {
		parameters--
		table := lineage(v.Report, d.Parameters[d.Evolution.Parameter].Name)
		v.Lineage = &table
	}
	several := len(d.Points.ID) > 1
	v.HasFront = several && len(d.Objectives) > 1
	v.HasParallel = several && parameters+len(d.Objectives) > 2
	v.HasResponse = several && parameters > 0 && len(d.Objectives) > 0
	v.HasHeat = v.HasResponse && parameters > 1
	if v.HasResponse {
		v.Responses = responses(v.Report, d)
	}
}

// mostRows is how many rows a table of candidates has at most.
const mostRows = 50

// shortened are tables with their first rows and the last one, which is often the baseline.
func shortened(tables []report.Table) []report.Table {
	for i := range tables {
		if t := &tables[i]; len(t.Rows) > mostRows {
			left := make([]string, len(t.Titles))
			left[0] = fmt.Sprintf("%d more", len(t.Rows)-mostRows)
			t.Rows = append(append(t.Rows[:mostRows-1:mostRows-1], left), t.Rows[len(t.Rows)-1])
		}
	}
	return tables
}

// change is a parameter with its values.
type change struct{ Name, Before, After string }

// changes are the parameters in which the best point differs from the baseline, or a sentence that
// says that there are none.
func changes(best, baseline *result.Ranked) (nothing string, all []change) {
	switch {
	case baseline == best:
		return "Nothing: the baseline is the best candidate.", nil
	case len(best.Parameters) == 0 && baseline == nil:
		return "Nothing: the sweep has the scenario as its only point.", nil
	}
	for _, a := range best.Parameters {
		c := change{a.Name, figure.Absent, a.Value}
		if baseline != nil {
			if value, ok := valueOf(baseline, a.Name); ok {
				c.Before = value
			}
		}
		if c.Before != c.After {
			all = append(all, c)
		}
	}
	if baseline == nil {
		return "", all
	}
	for _, a := range baseline.Parameters {
		if _, ok := valueOf(best, a.Name); !ok {
			all = append(all, change{a.Name, a.Value, figure.Absent})
		}
	}
	return "", all
}

// expected is a row of the table of figures.
type expected struct{ Metric, Baseline, Best, Difference string }

// expectedOf are the figures of objectives, constraints and gates.
func (v *sweepView) expectedOf(best, baseline *result.Ranked) []expected {
	r := v.Report
	var rows []expected
	listed := map[string]bool{}
	add := func(m result.Measure, suffix, difference string) {
		if name := m.String(); !listed[name] {
			listed[name] = true
			row := expected{Metric: m.Unit().Title(name) + suffix, Best: r.Estimate(best, m), Difference: difference}
			if v.HasBaseline {
				row.Baseline = r.Estimate(baseline, m)
			}
			rows = append(rows, row)
		}
	}
	for i, o := range r.Board.Objectives {
		difference := ""
		if v.HasBaseline && i < len(best.VersusBaseline) {
			mean, margin, verdict := best.VersusBaseline[i].Texts(len(r.Board.Seeds))
			difference = mean + " " + margin + ", " + verdict
		}
		add(o.Measure, map[result.Direction]string{result.Minimize: " ↓", result.Maximize: " ↑"}[o.Direction], difference)
	}
	for _, c := range r.Board.Constraints {
		add(c.Measure, " "+c.Operator.Symbol()+" "+c.Measure.Unit().Text(c.Bound), "")
	}
	for _, g := range r.Gates {
		add(g.Measure, "", "")
	}
	return rows
}
