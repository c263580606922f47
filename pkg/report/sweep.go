// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/internal/printable"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// Sweep is what a person reads before rolling the best candidate of a sweep
// out.
type Sweep struct {
	// Title names the sweep.
	Title string
	// Best is the point that is proposed; Board lists it.
	Best  int
	Board *result.Leaderboard
	// Proposed says that the point is the proposal of the spec, not what a search
	// found best.
	Proposed bool
	// Gates are what came of the sweep's; there may be none.
	Gates []result.GateResult
	// Rollout are the steps of a rollout, and Gates then those of the step that decides; nil of
	// another sweep.
	Rollout []result.Step
	// Keep says why nothing is to be rolled out though no gate fails: the baseline
	// is the best point. Empty otherwise.
	Keep string
	// Assumptions are sentences about what the results rest on in addition to the engine
	// and the seeds: workload, latency model, how fresh signals are. StepTimes say
	// what the step times of the best point's pools rest on. Warnings and
	// Approximations are those of the plan.
	Assumptions, StepTimes, Warnings, Approximations []string
	// Top is how many candidates are listed.
	Top int
	// Diffs are those of the manifests that the best point changes.
	Diffs []Diff
	// Policy is the policy of the best point in YAML, where a search made it, and Steps say
	// how it came about.
	Policy string
	Steps  []string
}

// Diff is what changes of a file, as diff -u prints it.
type Diff struct{ Title, Text string }

// Write prints the report in Markdown. It is an error if the board does not
// list the best point.
func (r *Sweep) Write(w io.Writer) error {
	best := r.board().candidate(r.Best)
	if best == nil {
		return fmt.Errorf("report: the leaderboard does not list point %d", r.Best)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n", printable.Markdown(r.Title))
	r.verdict(&b)
	r.change(&b, best)
	r.diffs(&b)
	r.policy(&b)
	r.expectation(&b, best)
	writeSteps(&b, r.Rollout)
	writeGates(&b, r.Gates)
	if note := SeedsOfGates(r.Gates, best); note != "" {
		fmt.Fprintf(&b, "%s.\n\n", note)
	}
	r.top(&b)
	r.basis(&b)
	_, err := b.WriteTo(w)
	return err
}

// candidate returns the listed candidate of a point, or nil.
func (l board) candidate(point int) *result.Ranked {
	for i := range l.Candidates {
		if l.Candidates[i].Point == point {
			return &l.Candidates[i]
		}
	}
	return nil
}

// baseline returns the baseline, or nil.
func (l board) baseline() *result.Ranked {
	if l.Baseline == nil {
		return nil
	}
	return l.candidate(*l.Baseline)
}

func (r *Sweep) board() board { return board{r.Board} }

// Candidate is the listed candidate of a point, or nil.
func (r *Sweep) Candidate(point int) *result.Ranked { return r.board().candidate(point) }

// Baseline is the candidate that others are compared with, or nil.
func (r *Sweep) Baseline() *result.Ranked { return r.board().baseline() }

// Called is what the point is called in headings.
func (r *Sweep) Called() string {
	switch {
	case r.Proposed:
		return "proposal"
	case r.Rollout != nil:
		return fmt.Sprintf("step to %d %%", result.Deciding(r.Rollout).Percent)
	}
	return "best"
}

// Verdict says whether the point may be rolled out, and why.
func (r *Sweep) Verdict() *verdict.Verdict {
	if len(r.Gates) == 0 {
		return verdict.Ungated()
	}
	if r.Rollout != nil {
		v := result.JudgeSteps(r.Rollout)
		return &v
	}
	v := result.Judge(r.Gates)
	if v.Outcome != verdict.Fail && r.Keep != "" {
		v.Outcome, v.Reason, v.Message, v.Next = verdict.Fail, verdict.BaselineIsBest, r.Keep, ""
	}
	return &v
}

func (r *Sweep) verdict(b *bytes.Buffer) {
	if r.SearchesCapacity() {
		fmt.Fprintf(b, "**Capacity**: %s.\n\n", printable.Markdown(LeaderboardVerdict(r.Board)))
	}
	v := r.Verdict()
	fmt.Fprintf(b, "**%s**: %s.\n\n", v.Outcome.Title(), printable.Markdown(v.Message))
	if told := r.Decisions(); told != "" {
		fmt.Fprintf(b, "%s.\n\n", told)
	}
}

// Decisions says how far what is judged differs from the baseline, without a full stop; empty
// where nothing is compared, and where that is the verdict.
func (r *Sweep) Decisions() string {
	change := result.ChangeJudged(r.Gates)
	if change == nil || result.Unexercised(r.Gates) != "" {
		return ""
	}
	return "Against the baseline, " + change.String()
}

func (r *Sweep) change(b *bytes.Buffer, best *result.Ranked) {
	base := r.board().baseline()
	fmt.Fprint(b, "## What changes\n\n")
	if len(best.Parameters) == 0 && base == nil {
		fmt.Fprint(b, "Nothing: the sweep has the scenario as its only point.\n\n")
		return
	}
	switch base {
	case best:
		fmt.Fprint(b, "Nothing: the baseline is the best candidate.\n\n")
		return
	case nil:
		fmt.Fprintf(b, "| parameter | %s |\n|---|---|\n", r.Called())
	default:
		fmt.Fprintf(b, "| parameter | baseline | %s |\n|---|---|---|\n", r.Called())
	}
	for _, a := range best.Parameters {
		if base == nil {
			fmt.Fprintf(b, "| %s | %s |\n", printable.Markdown(a.Name), printable.Markdown(a.Value))
			continue
		}
		if before := valueOf(base.Parameters, a.Name); before != a.Value {
			fmt.Fprintf(b, "| %s | %s | **%s** |\n", printable.Markdown(a.Name), printable.Markdown(before), printable.Markdown(a.Value))
		}
	}
	if base != nil {
		for _, a := range base.Parameters {
			if valueOf(best.Parameters, a.Name) == figure.Absent {
				fmt.Fprintf(b, "| %s | %s | %s |\n", printable.Markdown(a.Name), printable.Markdown(a.Value), figure.Absent)
			}
		}
	}
	fmt.Fprintln(b)
}

// diffs prints what changes of manifests.
func (r *Sweep) diffs(b *bytes.Buffer) {
	for _, d := range r.Diffs {
		fmt.Fprintf(b, "In %s:\n\n", printable.Markdown(d.Title))
		writeFenced(b, "diff", d.Text)
	}
}

// policy prints a policy that a search made.
func (r *Sweep) policy(b *bytes.Buffer) {
	if r.Policy == "" {
		return
	}
	fmt.Fprint(b, "The policy came about in these steps:\n\n")
	for _, step := range r.Steps {
		fmt.Fprintf(b, "1. %s\n", printable.Markdown(step))
	}
	fmt.Fprintln(b)
	writeFenced(b, "yaml", r.Policy)
}

// writeFenced prints a text as code.
func writeFenced(b *bytes.Buffer, language, text string) {
	fence := fenceFor(text)
	fmt.Fprintf(b, "%s%s\n%s\n%s\n\n", fence, language, strings.TrimRight(printable.Text(text), "\n"), fence)
}

// writeTable prints what writes a table as code.
func writeTable(b *bytes.Buffer, write func(io.Writer)) {
	var table bytes.Buffer
	write(&table)
	writeFenced(b, "text", table.String())
}

// fenceFor is a fence that is longer than any in a text.
func fenceFor(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}

// valueOf returns a parameter's value, or a dash where it does not exist.
func valueOf(parameters []result.Assignment, name string) string {
	for _, a := range parameters {
		if a.Name == name {
			return a.Value
		}
	}
	return figure.Absent
}

// expectation lists the figures of the best candidate.
func (r *Sweep) expectation(b *bytes.Buffer, best *result.Ranked) {
	fmt.Fprint(b, "## What is expected\n\n")
	base := r.board().baseline()
	versus := base != nil && base != best
	if versus {
		fmt.Fprintf(b, "| metric | baseline | %s | difference |\n|---|---|---|---|\n", r.Called())
	} else {
		fmt.Fprintf(b, "| metric | %s |\n|---|---|\n", r.Called())
	}
	listed := map[string]bool{}
	row := func(m result.Measure, arrow, difference string) {
		if listed[m.String()] {
			return
		}
		listed[m.String()] = true
		name := printable.Markdown(strings.TrimRight(m.Unit().Title(m.String())+" "+arrow, " "))
		if versus {
			fmt.Fprintf(b, "| %s | %s | %s | %s |\n", name, r.Estimate(base, m), r.Estimate(best, m), difference)
		} else {
			fmt.Fprintf(b, "| %s | %s |\n", name, r.Estimate(best, m))
		}
	}
	for i, o := range r.Board.Objectives {
		difference := ""
		if versus {
			mean, margin, verdict := best.VersusBaseline[i].Texts(len(r.Board.Seeds))
			difference = strings.Join(strings.Fields(mean+" "+margin+" "+verdict), " ")
		}
		row(o.Measure, arrow(o.Direction), difference)
	}
	for _, c := range r.Board.Constraints {
		row(c.Measure, c.Operator.Symbol()+" "+c.Measure.Unit().Text(c.Bound), "")
	}
	for _, g := range r.Gates {
		row(g.Measure, "", "")
	}
	fmt.Fprintf(b, "\n%s\n\n", seedsNote(r.Board.Seeds))
}

// Estimate is a candidate's figure with its margin, for people.
func (r *Sweep) Estimate(c *result.Ranked, m result.Measure) string {
	interval, ok := c.Metrics[m.String()]
	if !ok {
		return figure.Absent
	}
	means, margins := figures([]stats.Interval{interval}, m.Unit(), len(r.Board.Seeds))
	return strings.TrimRight(means[0]+" "+margins[0], " ")
}

// SeedsOfGates says why a gate and the table have two figures of the best point: of a point that the search
// confirmed, gates look at the seeds that it was not chosen by. It is "" if they look at the same ones.
func SeedsOfGates(gates []result.GateResult, best *result.Ranked) string {
	for _, g := range gates {
		if all, ok := best.Metrics[g.Measure.String()]; ok && g.Point == "" && g.N > 1 && g.N < all.N {
			return fmt.Sprintf("Gates judge the best point by the %d seeds that confirmed it, because the search chose it by the others; tables have the figures of all %d", g.N, all.N)
		}
	}
	return ""
}

// writeSteps lists the steps of a rollout, if there is one.
func writeSteps(b *bytes.Buffer, steps []result.Step) {
	if len(steps) == 0 {
		return
	}
	fmt.Fprint(b, "## Steps\n\n| share | verdict | evidence |\n|---|---|---|\n")
	for _, s := range steps {
		fmt.Fprintf(b, "| %d %% | %s | %s |\n", s.Percent, s.Verdict.Word(), printable.Markdown(s.Message))
	}
	fmt.Fprintln(b)
}

// writeGates lists what came of gates, if there are any.
func writeGates(b *bytes.Buffer, gates []result.GateResult) {
	if len(gates) == 0 {
		return
	}
	fmt.Fprint(b, "## Gates\n\n| gate | verdict | evidence |\n|---|---|---|\n")
	for _, g := range gates {
		fmt.Fprintf(b, "| %s | %s | %s |\n", printable.Markdown(g.Name), g.Verdict.Word(), printable.Markdown(g.Message))
	}
	fmt.Fprintln(b)
}

// shown is the leaderboard with the best candidates, and those that it has in addition.
func (r *Sweep) shown() board {
	shown := board{new(*r.Board)}
	shown.Candidates = nil
	for i, c := range r.Board.Candidates {
		if i < max(r.Top, 1) || c.Baseline || c.Pareto || c.Elite != nil {
			shown.Candidates = append(shown.Candidates, c)
		}
	}
	return shown
}

// Tables are the tables of the best candidates: all figures, then each objective by workload,
// then the loads that were tried, as far as the sweep has them.
func (r *Sweep) Tables() []Table {
	shown := r.shown()
	tables := []Table{shown.grid().table()}
	for _, g := range shown.byWorkload() {
		tables = append(tables, g.table())
	}
	if curve := shown.curve(); curve != nil {
		tables = append(tables, curve.table())
	}
	return tables
}

// Notes say how to read the figures.
func (r *Sweep) Notes() []string { return r.board().notes() }

// top prints the best candidates as the table for people has them.
func (r *Sweep) top(b *bytes.Buffer) {
	shown := r.shown()
	fmt.Fprintf(b, "## The best of %s\n\n", figure.Plural(shown.Counts.All, "candidate"))
	writeTable(b, shown.grid().write)
	for _, g := range shown.byWorkload() {
		writeTable(b, g.write)
	}
	if curve := shown.curve(); curve != nil {
		fmt.Fprint(b, "The loads that were tried:\n\n")
		writeTable(b, curve.write)
	}
	for _, note := range r.board().notes() {
		fmt.Fprintf(b, "- %s\n", printable.Markdown(note))
	}
	fmt.Fprintln(b)
}

// basis says what all of this rests on.
func (r *Sweep) basis(b *bytes.Buffer) {
	writeBasis(b, r.Assumptions, r.StepTimes, r.Approximations, r.Warnings)
}

// writeBasis writes what figures rest on, as the last section of a report.
func writeBasis(b *bytes.Buffer, assumptions, stepTimes, approximations, warnings []string) {
	fmt.Fprint(b, "## What this rests on\n\nThese are figures of a simulation, not of a cluster.\n\n")
	for _, s := range assumptions {
		fmt.Fprintf(b, "- %s\n", printable.Markdown(s))
	}
	for _, s := range stepTimes {
		fmt.Fprintf(b, "- Step times: %s.\n", printable.Markdown(s))
	}
	for _, s := range approximations {
		fmt.Fprintf(b, "- Approximation: %s\n", printable.Markdown(s))
	}
	for _, s := range warnings {
		fmt.Fprintf(b, "- Remark: %s\n", printable.Markdown(s))
	}
}
