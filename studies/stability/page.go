// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed" // the page
	"fmt"
	"math"
	"strings"
	"text/template"

	"windtunnel.dev/windtunnel/internal/chart"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/studies/study"
)

//go:embed page.md.tmpl
var pageText string

// page is what the template needs.
type page struct {
	Engine, Chart string
	Seeds, Blocks int
	// LowAt90 and HighAt90 are the least and the greatest ρ at 0.9 of the
	// boundary, ComputeBound that of the Azure lengths beyond it.
	LowAt90, HighAt90, ComputeBound string
	// AzureServed and AzureKV are of the Azure lengths, beyond it too.
	AzureServed, AzureKV string
	Law                  *study.Table
	Engines, Advised     *study.Table
	Contests             []contestTable
	Estimates            *study.Table
}

type contestTable struct {
	Name, TTFT, TPOT, Rate string
	Table                  *study.Table
}

// write writes the page, and the chart next to it.
func (f *findings) write(path string) error {
	functions := template.FuncMap{"of": f.figure, "hits": f.hits}
	return study.WritePage(path, template.Must(template.New("page").Funcs(functions).Parse(pageText)), f.page, f.chart())
}

func (f *findings) page(chart string) any {
	p := page{
		Engine: simulator.EngineVersion, Chart: chart, Seeds: f.seeds, Blocks: kvBlocks,
		Law: f.lawTable(), Engines: f.engineTable(), Advised: f.advisedTable(), Estimates: f.estimateTable(),
	}
	f.summarize(&p)
	for _, o := range f.contests {
		p.Contests = append(p.Contests, o.table())
	}
	return p
}

// summarize fills in what the text says of the tables.
func (f *findings) summarize(p *page) {
	low, high := math.Inf(1), 0.0
	for _, s := range f.engine {
		read := s.at(0.9).known.Utilization
		low, high = min(low, read), max(high, read)
		if s.load.name == azureLengths {
			p.ComputeBound = fmt.Sprintf("%.1f", s.at(1.1).known.Utilization)
			p.AzureServed, p.AzureKV = fmt.Sprintf("%.1f", s.full.served), fmt.Sprintf("%.0f %%", 100*s.full.meanKV)
		}
	}
	p.LowAt90, p.HighAt90 = fmt.Sprintf("%.2f", low), fmt.Sprintf("%.2f", high)
}

// figure is a mean of a contest beyond the boundary.
func (f *findings) figure(load, contender, what string) (string, error) {
	for _, o := range f.contests {
		if o.load.name != load {
			continue
		}
		switch s := o.of(contender, contestShares[1]); what {
		case "attainment":
			return fmt.Sprintf("%.0f %%", 100*s.attainment.Mean), nil
		case "rejected":
			return fmt.Sprintf("%.0f %%", 100*s.rejected.Mean), nil
		case "preemptions":
			return fmt.Sprintf("%.0f", s.preemptions.Mean), nil
		}
	}
	return "", fmt.Errorf("no %s of %s with %s", what, contender, load)
}

// hits is the share of prompt tokens from the cache where prefixes are shared,
// below the boundary.
func (f *findings) hits(contender string) (string, error) {
	for _, o := range f.contests {
		if o.load.groups > 0 {
			return fmt.Sprintf("%.1f %%", 100*o.of(contender, contestShares[0]).hits.Mean), nil
		}
	}
	return "", fmt.Errorf("no contest with shared prefixes")
}

// percent has no negative zero.
func percent(x float64) string { return fmt.Sprintf("%.1f %%", math.Round(1000*x)/10+0) }

func shareTitles(first string, shares []float64, last ...string) []string {
	titles := []string{first}
	for _, s := range shares {
		titles = append(titles, fmt.Sprintf("%.2g", s))
	}
	return append(titles, last...)
}

// lawTable is by how much of what arrives the queue grows.
func (f *findings) lawTable() *study.Table {
	t := &study.Table{Titles: shareTitles("λ/μ", lawShares, "μ, requests/s", "begins to grow at", "served at 1.3")}
	for _, s := range f.law {
		row := []string{s.load.name}
		for i, x := range s.trials {
			row = append(row, percent(x.growth/(s.shares[i]*s.unit)))
		}
		t.Add(append(row, fmt.Sprintf("%.2f", s.unit), fmt.Sprintf("%.2f μ", s.begins/s.unit), fmt.Sprintf("%.2f μ", s.full.served/s.unit))...)
	}
	return t
}

// engineTable is where the queue begins to grow, and where the law puts that.
func (f *findings) engineTable() *study.Table {
	t := &study.Table{Titles: []string{
		"", "begins to grow at", "served once it has", "cache in use then",
		"b̄ at half the rate", "b̄ then", "of μ by b̄ at half", "of μ by b̄ = 20 ms", "of μ by b̄ then",
	}}
	for _, s := range f.engine {
		half := s.at(0.5)
		of := func(seconds float64) string { return fmt.Sprintf("%.2f", s.begins/s.load.served(seconds)) }
		t.Add(s.load.name, fmt.Sprintf("%.2f/s", s.begins), fmt.Sprintf("%.2f/s", s.full.served), percent(s.full.meanKV),
			fmt.Sprintf("%.1f ms", half.stepSeconds*1e3), fmt.Sprintf("%.1f ms", s.full.stepSeconds*1e3),
			of(half.stepSeconds), of(lawStep.Seconds()), of(s.full.stepSeconds))
	}
	return t
}

// advisedTable is ρ as the controller has it. Bold is where the queue grows.
func (f *findings) advisedTable() *study.Table {
	t := &study.Table{Titles: shareTitles("ρ at", engineShares)}
	for _, s := range f.engine {
		row := []string{s.load.name}
		for i, x := range s.trials {
			cell := fmt.Sprintf("%.2f", x.known.Utilization)
			if x.grows(s.shares[i] * s.unit) {
				cell = "**" + cell + "**"
			}
			row = append(row, cell)
		}
		t.Add(row...)
	}
	return t
}

// chart draws ρ over the true load.
func (f *findings) chart() *chart.Chart {
	c := &chart.Chart{
		Title: "ρ as the controller measures it", X: "arrivals, as a share of the rate at which the queue begins to grow", Y: "ρ",
		Ticks: shareTitles("", engineShares)[1:], Limit: 1, LimitName: "the controller reports: unstable",
	}
	for i, s := range f.engine {
		l := chart.Line{Name: s.load.name, Colour: i}
		for at, x := range s.trials {
			l.Points = append(l.Points, chart.XY{X: float64(at), Y: x.known.Utilization})
		}
		c.Lines = append(c.Lines, l)
	}
	return c
}

func (o outcome) table() contestTable {
	t := &study.Table{Titles: []string{
		"λ", "", "SLO attainment", "goodput/s", "preemptions per 1000", "hit tokens", "rejected", "TTFT p99",
	}}
	for _, s := range o.scores {
		t.Add(fmt.Sprintf("%.3g", s.share), s.contender, spread(s.attainment, 100, "%.1f", " %"), spread(s.goodput, 1, "%.2f", ""),
			spread(s.preemptions, 1, "%.1f", ""), fmt.Sprintf("%.2f %%", 100*s.hits.Mean), spread(s.rejected, 100, "%.1f", " %"),
			spread(s.ttft99, 1, "%.1f", " s"))
	}
	return contestTable{
		Name: o.load.name, Table: t, Rate: fmt.Sprintf("%.2f", o.perSecond),
		TTFT: o.target.TTFT.String(), TPOT: o.target.TPOT.String(),
	}
}

// spread writes a mean and half of its interval.
func spread(i stats.Interval, factor float64, format, unit string) string {
	half := factor * (i.High - i.Mean)
	mean := fmt.Sprintf(format, factor*i.Mean)
	if text := fmt.Sprintf(format, half); strings.Trim(text, "0.") != "" {
		mean += " ± " + text
	}
	return mean + unit
}

func (f *findings) estimateTable() *study.Table {
	t := &study.Table{Titles: []string{"arrivals", "true rate", "queueing", "queueing-seed"}}
	for _, e := range f.estimates {
		of := func(x float64) string { return fmt.Sprintf("%.4g/s, %+.1f %%", x, 100*(x/e.perSecond-1)) }
		t.Add(e.process, fmt.Sprintf("%.4g/s", e.perSecond), of(e.queueing), of(e.seed))
	}
	return t
}
