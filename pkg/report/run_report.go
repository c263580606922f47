// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/internal/printable"
	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// RunReport is what a person reads of a run.
type RunReport struct {
	// Title names the run.
	Title string
	// Documents are the results, one for each seed.
	Documents []*result.Document
	// Gates are what came of the run's; there may be none.
	Gates []result.GateResult
	// Why is the reason of their verdict; "" is the one that their messages give.
	Why string
	// Targets are the latency targets of classes.
	Targets []Target
	// Series are those of all seeds together; nil without series, and WithoutSeries
	// says how to have them.
	Series        *result.Series
	WithoutSeries string
	// Flaws say what went wrong under one seed; nil without an analysis, and WithoutFlaws
	// says how to have them.
	Flaws        *insight.Report
	WithoutFlaws string
	// Worst are the requests that fared worst among those whose decisions are known, and
	// WorstAmong says which those are; without such requests, WithoutWorst says how to have them.
	Worst                    []WorstRequest
	WorstAmong, WithoutWorst string
	// StepTimes say what the step times of pools rest on. Warnings and Approximations are
	// those of the plan.
	StepTimes, Warnings, Approximations []string
}

// Target is an upper bound of a latency of the requests of a class.
type Target struct {
	Class string
	// Latency is ttft, tpot or e2e.
	Latency string
	Seconds float64
}

// WorstRequest is a request that fared badly, and why it went where it did.
type WorstRequest struct {
	Request, Seed int64
	// What says in a sentence what became of the request.
	What string
	// Known says what the router knew, and Story is the whole explanation as a text; each may
	// be "".
	Known, Story string
	// Command prints the whole explanation.
	Command string
}

// Errors of reports of runs.
var (
	ErrNoDocuments = errors.New("there are no results to report on")
	errEngines     = errors.New("the results are of several versions of the engine, and do not compare: simulate all seeds with one version")
)

// Check says why there is no report; nil if there is one.
func (r *RunReport) Check() error {
	if len(r.Documents) == 0 {
		return ErrNoDocuments
	}
	engine := r.Documents[0].EngineVersion
	for _, d := range r.Documents {
		if d.EngineVersion != engine {
			return fmt.Errorf("%w (%s, %s)", errEngines, engine, d.EngineVersion)
		}
	}
	if r.Series != nil && r.Series.EngineVersion != engine {
		return fmt.Errorf("%w (%s, time series %s)", errEngines, engine, r.Series.EngineVersion)
	}
	return nil
}

// Verdict says whether the gates pass and why.
func (r *RunReport) Verdict() *verdict.Verdict {
	if len(r.Gates) == 0 {
		return verdict.Ungated()
	}
	v := result.Judge(r.Gates)
	v.Message = cmp.Or(r.Why, v.Message)
	return &v
}

// sorted is the table of the run, with its documents in the order of seeds.
func (r *RunReport) sorted() runTable {
	docs := slices.Clone(r.Documents)
	slices.SortFunc(docs, func(a, b *result.Document) int { return int(a.Seed - b.Seed) })
	return runTable{docs}
}

// Seeds are those of the run, ascending.
func (r *RunReport) Seeds() []int64 { return r.sorted().seeds() }

// Estimate is a figure with its margin and its unit, for people; false if nothing was measured.
func (r *RunReport) Estimate(m result.Metric) (string, bool) {
	interval := r.sorted().estimate(m)
	if interval.N == 0 {
		return "", false
	}
	text := joinCells(figures([]stats.Interval{interval}, m.Unit(), len(r.Documents)))[0]
	return strings.TrimSpace(strings.TrimSpace(text) + " " + m.Unit().Display().Suffix), true
}

// Finding says in a sentence, without a full stop, what the run amounts to.
func (r *RunReport) Finding() string {
	over := figure.Plural(len(r.Documents), "seed")
	latency, measured := r.Estimate(result.MustParseMetric("ttft.p99"))
	goodput, hasTargets := r.Estimate(result.MustParseMetric("goodput"))
	switch {
	case !measured:
		return "No request had an answer, over " + over
	case !hasTargets:
		return fmt.Sprintf("The 99th percentile of the time to first token is %s over %s; the scenario states no targets (slos)", latency, over)
	default:
		return fmt.Sprintf("%s of the requests meet every target of their class, over %s; the 99th percentile of the time to first token is %s", goodput, over, latency)
	}
}

// Findings are what the run owes in addition to its figures.
func (r *RunReport) Findings() []result.RunFinding { return result.RunFindings(r.sorted().docs) }

// TargetLine is a row of the table of targets.
type TargetLine struct {
	Class, Target, Met, Tail string
}

// TargetLines say how far each target of a class is met.
func (r *RunReport) TargetLines() []TargetLine {
	var lines []TargetLine
	for _, t := range r.Targets {
		of := func(name string) string {
			text, ok := r.Estimate(result.MustParseMetric(fmt.Sprintf("%s{class=%s}", name, t.Class)))
			if !ok {
				return figure.Absent
			}
			return text
		}
		lines = append(lines, TargetLine{
			Class: t.Class, Target: t.Latency + " ≤ " + result.Seconds.Text(t.Seconds),
			Met: of("attainment." + t.Latency), Tail: of(t.Latency + ".p99"),
		})
	}
	return lines
}

// CaptionedTable is a table with what it is about, and what it leaves out.
type CaptionedTable struct {
	Caption, More string
	Table
}

// Captions of tables of all requests.
const (
	latenciesCaption = "Latencies of all requests"
	figuresCaption   = "Further figures of all requests"
)

// Tables are those that the command prints of the run. Each has a title for each column.
func (r *RunReport) Tables() []CaptionedTable {
	var tables []CaptionedTable
	for _, p := range r.sorted().parts() {
		t := CaptionedTable{p.caption, p.more, p.table()}
		switch p.caption {
		case latenciesCaption:
			t.Titles[0] = "latency"
			t.second("p99")
		case figuresCaption:
			t.Titles = []string{"metric", "value"}
		}
		tables = append(tables, t)
	}
	return tables
}

// second moves a column behind the first one, where a narrow window shows it.
func (t *Table) second(title string) {
	at := slices.Index(t.Titles, title)
	if at < 0 {
		return
	}
	for _, cells := range append([][]string{t.Titles}, t.Rows...) {
		cell := cells[at]
		copy(cells[2:at+1], cells[1:at])
		cells[1] = cell
	}
}

// RunFigure is a figure of a group of requests over the seeds.
type RunFigure struct {
	Metric result.Metric
	stats.Interval
}

// Figures are all metrics of all requests that have values, and of groups those of the tables.
func (r *RunReport) Figures() []RunFigure {
	t := r.sorted()
	var all []RunFigure
	add := func(m result.Metric) {
		if interval := t.estimate(m); interval.N > 0 {
			all = append(all, RunFigure{m, interval})
		}
	}
	for _, m := range result.RegisteredMetrics() {
		add(m)
	}
	for _, selectors := range t.dimensions() {
		if len(selectors) < 2 {
			continue
		}
		for _, name := range breakdownMetrics {
			m := result.MustParseMetric(name)
			for _, m.Selector = range t.mostArrived(selectors) {
				if m.TakesSelector(m.Selector) {
					add(m)
				}
			}
		}
	}
	return all
}

// Notes say how to read the figures and what they rest on.
func (r *RunReport) Notes() []string {
	t := r.sorted()
	return append(t.legend(), t.facts()...)
}

// Write prints the report in Markdown.
func (r *RunReport) Write(w io.Writer) error {
	if err := r.Check(); err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n", printable.Markdown(r.Title))
	v := r.Verdict()
	fmt.Fprintf(&b, "**%s**: %s.\n\n", v.Outcome.Title(), printable.Markdown(v.Message))
	fmt.Fprintf(&b, "%s.\n\n", printable.Markdown(r.Finding()))
	for _, f := range r.Findings() {
		fmt.Fprintf(&b, "**%s.** %s.\n\n", printable.Markdown(f.What), printable.Markdown(f.Advice))
	}
	writeGates(&b, r.Gates)
	r.writeTargets(&b)
	fmt.Fprint(&b, "## Figures\n\n")
	for _, part := range r.sorted().parts() {
		writeTable(&b, part.write)
		if part.more != "" {
			fmt.Fprintf(&b, "%s.\n\n", printable.Markdown(part.more))
		}
	}
	r.writeFlaws(&b)
	r.writeWorst(&b)
	r.writeBasis(&b)
	_, err := b.WriteTo(w)
	return err
}

func (r *RunReport) writeTargets(b *bytes.Buffer) {
	lines := r.TargetLines()
	if len(lines) == 0 {
		return
	}
	fmt.Fprint(b, "## Targets\n\n| class | target | requests that meet it | 99th percentile |\n|---|---|---|---|\n")
	for _, l := range lines {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", printable.Markdown(l.Class), l.Target, l.Met, l.Tail)
	}
	fmt.Fprintln(b)
}

func (r *RunReport) writeFlaws(b *bytes.Buffer) {
	fmt.Fprint(b, "## What went wrong\n\n")
	switch {
	case r.Flaws == nil:
		fmt.Fprintf(b, "%s.\n\n", printable.Markdown(r.WithoutFlaws))
		return
	case len(r.Flaws.Anomalies) == 0:
		fmt.Fprintf(b, "No rule found an anomaly under seed %d.\n\n", r.Flaws.Seed)
		return
	}
	fmt.Fprintf(b, "Under seed %d:\n\n", r.Flaws.Seed)
	for i := range r.Flaws.Anomalies {
		a := &r.Flaws.Anomalies[i]
		about := ""
		if a.About != "" {
			about = " of " + printable.Markdown(a.About)
		}
		fmt.Fprintf(b, "1. **%s**%s: %d %s (%s). %s.\n", a.Type, about, a.Count, a.Type.Meaning(), figure.Percent(a.Share), a.Numbers())
	}
	fmt.Fprintln(b)
}

func (r *RunReport) writeWorst(b *bytes.Buffer) {
	fmt.Fprint(b, "## The worst requests\n\n")
	if len(r.Worst) == 0 {
		fmt.Fprintf(b, "%s.\n\n", printable.Markdown(r.WithoutWorst))
		return
	}
	if r.WorstAmong != "" {
		fmt.Fprintf(b, "%s.\n\n", printable.Markdown(r.WorstAmong))
	}
	for _, worst := range r.Worst {
		fmt.Fprintf(b, "- %s.", printable.Markdown(worst.What))
		if worst.Known != "" {
			fmt.Fprintf(b, " Known to the router: %s.", printable.Markdown(worst.Known))
		}
		if worst.Command != "" {
			fmt.Fprintf(b, " `%s` explains it.", worst.Command)
		}
		fmt.Fprintln(b)
		if worst.Story != "" {
			fmt.Fprintln(b)
			writeFenced(b, "text", worst.Story)
		}
	}
	fmt.Fprintln(b)
}

func (r *RunReport) writeBasis(b *bytes.Buffer) {
	writeBasis(b, r.Notes(), r.StepTimes, r.Approximations, r.Warnings)
}
