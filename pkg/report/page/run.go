// SPDX-License-Identifier: Apache-2.0

package page

import (
	_ "embed" // the templates
	"fmt"
	"html/template"
	"io"
	"strings"

	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/result"
)

//go:embed run.html.tmpl
var runText string

//go:embed series.html.tmpl
var seriesText string

var runTemplate = parsed("run", runText)

// Run is a report of a run, and where its figures come from.
type Run struct {
	Report *report.RunReport
	// Facts identify the figures: engine, seeds, digests, the command that makes them again.
	Facts []Fact
}

// Write writes the page. It is an error if the report has no results, or results of several
// versions of the engine.
func (r *Run) Write(w io.Writer) error {
	if err := r.Report.Check(); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return write(w, runTemplate(), r.view())
}

// runView is what the template reads.
type runView struct {
	*Run
	Policy string
	Style  template.CSS
	Data   *RunData

	Verdict            heading
	Gates              []gate
	Targets            []report.TargetLine
	Tables             []report.CaptionedTable
	Notes, Basis       []string
	HasGroups, Several bool
	followed
	ReplicaTable report.CaptionedTable
	CostTable    *report.CaptionedTable
	CostNote     string
	Anomalies    []anomaly
	Patterns     []pattern
}

// followed are the parts of a view about time series.
type followed struct {
	LinesNote  string
	Quantiles  report.CaptionedTable
	TimeTables []report.CaptionedTable
}

func newFollowed(d *SeriesData, all []NamedSeries) followed {
	if d == nil {
		return followed{}
	}
	f := followed{Quantiles: quantileTable(withSeries(all)), TimeTables: timeTables(all)}
	f.LinesNote = fmt.Sprintf("Means over bins of %s s and over %s; counts are per second and run.", figure.Shortest(d.BinSeconds), figure.Plural(d.Runs, "run"))
	if d.WarmUpSeconds > 0 {
		f.LinesNote += " The shaded part is the warm-up, which figures leave out."
	}
	if d.LeftOut > 0 {
		f.LinesNote += fmt.Sprintf(" %s have no lines of their own: there are too many.", figure.Plural(d.LeftOut, "replica"))
	}
	return f
}

func (r *Run) view() *runView {
	data := NewRunData(r.Report)
	v := &runView{
		Run: r, Policy: policy(), Style: template.CSS(style), Data: data, //nolint:gosec // the style is ours
		Gates: gatesOf(r.Report.Gates), Targets: r.Report.TargetLines(), Tables: readable(r.Report.Tables()), Several: len(data.Seeds) > 1,
		followed: newFollowed(data.Series, namedSeries(r.Report)),
	}
	v.Notes, v.Basis = splitNotes(r.Report.Notes())
	judged := r.Report.Verdict()
	v.Verdict = headingOf(judged.Outcome, upperFirst(judged.Message))
	for _, f := range data.Figures {
		v.HasGroups = v.HasGroups || f.Of != allRequests || f.Low != nil
	}
	if r.Report.Series != nil {
		v.ReplicaTable = replicaTable(r.Report.Series)
	}
	v.CostTable, v.CostNote = costOf(r.Report)
	if r.Report.Flaws != nil {
		v.Anomalies, v.Patterns = anomaliesOf(r.Report.Flaws), patternsOf(r.Report.Flaws)
	}
	return v
}

// mostColumns is how many groups are columns; more are rows.
const mostColumns = 6

// mostFigures is how many rows a table of two columns has; more rows make another table next to it.
const mostFigures = 16

// readable are tables of a width and a length that fit a page: few groups become columns, and
// a long list becomes two.
func readable(tables []report.CaptionedTable) []report.CaptionedTable {
	var all []report.CaptionedTable
	for _, t := range tables {
		switch {
		case len(t.Titles) == 2 && len(t.Rows) > mostFigures:
			rest := t
			half := (len(t.Rows) + 1) / 2
			t.Rows, rest.Rows, rest.Caption = t.Rows[:half], t.Rows[half:], "and"
			all = append(all, t, rest)
			continue
		case len(t.Rows) < len(t.Titles)-1 && len(t.Rows) <= mostColumns:
			t.Table = turned(t.Table)
		}
		all = append(all, t)
	}
	return all
}

// turned has rows for columns.
func turned(t report.Table) report.Table {
	out := report.Table{Titles: []string{t.Titles[0]}}
	for _, row := range t.Rows {
		out.Titles = append(out.Titles, row[0])
	}
	for i, title := range t.Titles[1:] {
		row := []string{title}
		for _, from := range t.Rows {
			row = append(row, from[i+1])
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// splitNotes tells notes on how to read figures from those on what they rest on.
func splitNotes(notes []string) (reading, basis []string) {
	for _, note := range notes {
		if strings.HasPrefix(note, "±") || strings.HasPrefix(note, "Only one seed") {
			reading = append(reading, note)
		} else {
			basis = append(basis, note)
		}
	}
	return reading, basis
}

// costOf is the table of costs, or a sentence where prices are missing.
func costOf(r *report.RunReport) (*report.CaptionedTable, string) {
	metrics := []string{"replicaHours", "cost", "costPerGoodRequest"}
	text := func(name string, s result.Selector) string {
		m := result.MustParseMetric(name)
		m.Selector = s
		if s != (result.Selector{}) && !m.TakesSelector(s) {
			return figure.Absent
		}
		if estimate, ok := r.Estimate(m); ok {
			return estimate
		}
		return figure.Absent
	}
	if text("cost", result.Selector{}) == figure.Absent {
		return nil, fmt.Sprintf("The replicas took %s together. The scenario states no prices: pools[].costPerReplicaHour makes a cost of these hours.", text("replicaHours", result.Selector{}))
	}
	table := &report.CaptionedTable{Caption: "In the scenario's own currency", Table: report.Table{Titles: append([]string{"pool"}, metrics...)}}
	row := func(name string, s result.Selector) {
		cells := []string{name}
		for _, m := range metrics {
			cells = append(cells, text(m, s))
		}
		table.Rows = append(table.Rows, cells)
	}
	row(allRequests, result.Selector{})
	if pools := r.Documents[0].Pools; len(pools) > 1 {
		for i := range pools {
			row(pools[i].Pool, pools[i].Selector)
		}
	}
	return table, ""
}

// anomaly is a row of the table of what went wrong.
type anomaly struct{ Type, What, Share, Severity, Numbers string }

func anomaliesOf(flaws *insight.Report) []anomaly {
	var all []anomaly
	for i := range flaws.Anomalies {
		a := &flaws.Anomalies[i]
		row := anomaly{
			Type: string(a.Type), What: fmt.Sprintf("%d %s", a.Count, a.Type.Meaning()), Share: figure.Percent(a.Share),
			Severity: figure.Fixed(a.Severity, 2), Numbers: fmt.Sprintf("from %s s on; %s", figure.Fixed(a.AtSeconds, 1), a.Numbers()),
		}
		if a.About != "" {
			row.What = a.About + ": " + row.What
		}
		if len(a.Requests) > 0 {
			row.Numbers += "; for example " + strings.Trim(strings.ReplaceAll(fmt.Sprint(a.Requests), " ", ", "), "[]")
		}
		all = append(all, row)
	}
	return all
}

// pattern is a row of the table of patterns.
type pattern struct{ Feature, With, Without string }

func patternsOf(flaws *insight.Report) []pattern {
	share := func(n, of int) string {
		return fmt.Sprintf("%d of %d (%s)", n, of, figure.Percent(float64(n)/float64(max(of, 1))))
	}
	var all []pattern
	for _, p := range flaws.Patterns {
		all = append(all, pattern{p.Feature, share(p.BadWith, p.With), share(p.BadWithout, p.Without)})
	}
	return all
}
