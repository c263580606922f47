// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed" // the page
	"fmt"
	"slices"
	"strings"
	"text/template"

	"windtunnel.dev/windtunnel/internal/chart"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/studies/study"
)

//go:embed page.md.tmpl
var pageText string

// level is below what probability a difference is called significant.
const level = 0.05

// page is what the template needs.
type page struct {
	sample  *sample
	entries []entry // the reference first
	grid    *gridFound
}

// write writes the page and, next to it, the chart.
func (p *page) write(path string) error {
	return study.WritePage(path, template.Must(template.New("page").Parse(pageText)), p.data, p.chart())
}

func (p *page) data(chart string) any {
	spec := &p.sample.sweep.Spec
	reference := p.entries[0].found[0]
	return map[string]any{
		"Chart":        chart,
		"Engine":       simulator.EngineVersion,
		"Requests":     *spec.Scenario.Horizon.Requests,
		"Seeds":        *spec.Replications.Count,
		"Confirm":      *spec.Search.Confirm,
		"Budget":       budget,
		"Searches":     p.searches(),
		"Baseline":     seconds(reference.baseline),
		"Landscape":    p.landscape(),
		"Table":        p.table(),
		"Better":       p.verdict((*entry).bests),
		"Confirmed":    p.verdict((*entry).confirmed),
		"Best":         p.best().point,
		"BestLoss":     seconds(p.best().curve.best()),
		"Axes":         axes(),
		"Points":       len(p.grid.all.losses),
		"GridSeeds":    gridSeeds,
		"GridRate":     gridRate,
		"GridRequests": gridRequests,
		"Others":       p.entries[1].seeds,
		"GridTable":    p.gridTable(),
		"Rungs":        p.rungs(),
	}
}

func seconds(v float64) string { return fmt.Sprintf("%.4g s", v) }

// searches counts the contestants' searches by their seeds.
func (p *page) searches() string {
	return fmt.Sprintf("%d of %s and %d of each other", p.entries[0].seeds, p.entries[0].name(), p.entries[1].seeds)
}

// best is what the best of all searches found.
func (p *page) best() *found {
	var best *found
	for i := range p.entries {
		for _, f := range p.entries[i].found {
			if best == nil || f.curve.best() < best.curve.best() {
				best = f
			}
		}
	}
	return best
}

// landscape is the table of the reference's points: how many lie how near to the
// best that anybody found.
func (p *page) landscape() string {
	var losses []float64
	for _, f := range p.entries[0].found {
		for _, loss := range f.losses {
			losses = append(losses, loss)
		}
	}
	best := p.best().curve.best()
	t := study.Table{Titles: []string{"within … of the best", "random points", "of all"}}
	for _, near := range []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1} {
		n := 0
		for _, loss := range losses {
			if loss <= best*(1+near) {
				n++
			}
		}
		t.Add(fmt.Sprintf("%.0f %%", 100*near), fmt.Sprint(n), fmt.Sprintf("%.1f %%", 100*float64(n)/float64(len(losses))))
	}
	return t.String()
}

// table compares the contestants with the reference.
func (p *page) table() string {
	t := study.Table{Titles: []string{"algorithm", "points", "full trials", "best latency, median", "least", "greatest", "p against Random", "fresh seeds, median", "p"}}
	found, confirmed := against(p.entries, (*entry).bests), against(p.entries, (*entry).confirmed)
	for i := range p.entries {
		e := &p.entries[i]
		bests := e.bests()
		ps := [2]string{"", ""}
		if i > 0 {
			ps = [2]string{probability(found[i-1]), probability(confirmed[i-1])}
		}
		t.Add(e.name(), fmt.Sprint(e.search.MaxTrials), fmt.Sprintf("%.0f", e.found[0].effort),
			seconds(median(bests)), seconds(slices.Min(bests)), seconds(slices.Max(bests)), ps[0],
			seconds(median(e.confirmed())), ps[1])
	}
	return t.String()
}

// probability is a p-value, bold where it is significant.
func probability(p float64) string {
	text := fmt.Sprintf("%.2g", p)
	if p < level {
		return "**" + text + "**"
	}
	return text
}

// verdict names the contestants that are significantly better than the
// reference.
func (p *page) verdict(losses func(*entry) []float64) string {
	var names []string
	for i, probability := range against(p.entries, losses) {
		if probability < level {
			names = append(names, p.entries[i+1].name())
		}
	}
	return list(names)
}

// list names things, the last with an and.
func list(names []string) string {
	switch n := len(names); n {
	case 0:
		return "none"
	case 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}

// median is the middle one of values, or the mean of the middle two.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// chartStep is how many full trials apart the chart's points are.
const chartStep = 5

// chart draws by effort how far the best loss so far is above the best of all:
// the median over seeds, where all of them have one.
func (p *page) chart() *chart.Chart {
	c := &chart.Chart{
		Title: "Mean latency of the best point so far, median over seeds", X: "full trials' worth of simulated requests",
		Y: "above the best of all searches, s",
	}
	best := p.best().curve.best()
	for effort := 2 * chartStep; effort <= budget; effort += 2 * chartStep {
		c.Ticks = append(c.Ticks, fmt.Sprint(effort))
	}
	for i := range p.entries {
		e := &p.entries[i]
		l := chart.Line{Name: e.name(), Colour: i, Dashed: i == 0}
		for effort := 2 * chartStep; effort <= budget; effort += chartStep {
			if loss, ok := e.bestWithin(float64(effort)); ok {
				l.Points = append(l.Points, chart.XY{X: float64(effort)/(2*chartStep) - 1, Y: loss - best})
			}
		}
		c.Lines = append(c.Lines, l)
	}
	return c
}

// bestWithin is the median of the best losses within an effort; none unless every
// search has one.
func (e *entry) bestWithin(effort float64) (float64, bool) {
	var losses []float64
	for _, f := range e.found {
		loss, ok := f.curve.at(effort)
		if !ok {
			return 0, false
		}
		losses = append(losses, loss)
	}
	return median(losses), true
}

// axes lists the finite space's values.
func axes() string {
	t := study.Table{Titles: []string{"parameter", "values"}}
	for _, f := range finite {
		t.Add(f.parameter, strings.Join(f.values, ", "))
	}
	return t.String()
}

// gridTable compares SuccessiveHalving with the whole grid.
func (p *page) gridTable() string {
	all := p.grid.all
	t := study.Table{Titles: []string{"", "simulated requests", "of the grid's", "best mean TTFT", "above the best", "points that are better", "at"}}
	add := func(name string, f *found) {
		better := 0
		for _, loss := range all.losses {
			if loss < f.curve.best() {
				better++
			}
		}
		t.Add(name, fmt.Sprint(f.requests), fmt.Sprintf("%.3f", float64(f.requests)/float64(all.requests)), seconds(f.curve.best()),
			fmt.Sprintf("%.2f %%", 100*(f.curve.best()/all.curve.best()-1)), fmt.Sprint(better), "`"+f.point+"`")
	}
	add("all points in full", all)
	for i, f := range p.grid.halved {
		add(halvingName(i), f)
	}
	return t.String()
}

func halvingName(i int) string {
	return fmt.Sprintf("SuccessiveHalving, fidelity %s", fidelities[i])
}

// rungs is the table of what SuccessiveHalving did on the grid.
func (p *page) rungs() string {
	t := study.Table{Titles: []string{"", "requests", "seeds", "points", "kept", "rank correlation with the rung before"}}
	for i, f := range p.grid.halved {
		for _, r := range f.rungs {
			rho := ""
			if r.Spearman != nil {
				rho = fmt.Sprintf("%.2f", *r.Spearman)
			}
			t.Add(halvingName(i), fmt.Sprintf("%.0f %%", 100*r.Share), fmt.Sprint(r.Seeds), fmt.Sprint(r.Points), fmt.Sprint(r.Kept), rho)
		}
	}
	return t.String()
}
