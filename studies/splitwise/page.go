// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed" // the page
	"fmt"
	"text/template"

	"windtunnel.dev/windtunnel/internal/chart"
	"windtunnel.dev/windtunnel/studies/study"
)

//go:embed page.md.tmpl
var pageText string

// page is what the study found, in the words of tables.
type page struct {
	in    inputs
	scale scale
	all   []*findings
	Chart string
}

func newPage(in inputs, s scale, all []*findings) *page { return &page{in: in, scale: s, all: all} }

// write writes the page and, next to it, the chart.
func (p *page) write(path string) error {
	data := func(chart string) any {
		p.Chart = chart
		return p
	}
	return study.WritePage(path, template.Must(template.New("page").Parse(pageText)), data, p.chart())
}

// study is the first of the findings; the others are what it might depend on.
func (p *page) study() *findings { return p.all[0] }

// Summary is the best of both kinds, for each workload.
func (p *page) Summary() *study.Table {
	t := &study.Table{Titles: []string{"", "best mixed, requests/s", "tokens a step", "whole prompts mixed, requests/s", "best split, requests/s", "prefill : decode", "split ÷ best mixed", "split ÷ whole prompts mixed"}}
	for w, name := range workloadNames {
		f := p.study()
		mixed, whole, split := best(f.mixed[w]), last(f.mixed[w]), best(f.split[w])
		t.Add(name, rate(mixed), fmt.Sprint(mixed.cluster.budget), rate(whole), rate(split), split.cluster.String(),
			times(split, mixed), times(split, whole))
	}
	return t
}

// Splits is by how many machines compute prompts.
func (p *page) Splits() *study.Table {
	t := &study.Table{Titles: []string{"prefill : decode"}}
	for _, name := range workloadNames {
		t.Titles = append(t.Titles, name+": requests/s", "TTFT ×", "TBT ×", "busy prefill, decode %", "missed next")
	}
	f := p.study()
	for i, o := range f.split[code] {
		row := []string{o.cluster.String()}
		for w := range workloads {
			o := f.split[w][i]
			row = append(row, rate(o), fmt.Sprintf("%.2f", o.met.ttft), fmt.Sprintf("%.2f", o.met.tbt),
				fmt.Sprintf("%.0f, %.0f", 100*o.met.prefillBusy, 100*o.met.serveBusy), o.above.fails())
		}
		t.Add(row...)
	}
	return t
}

// Mixed is by tokens a step.
func (p *page) Mixed() *study.Table {
	t := &study.Table{Titles: []string{"tokens a step"}}
	for _, name := range workloadNames {
		t.Titles = append(t.Titles, name+": requests/s", "TTFT ×", "TBT ×", "missed next")
	}
	f := p.study()
	for i, o := range f.mixed[code] {
		row := []string{fmt.Sprint(o.cluster.budget)}
		for w := range workloads {
			o := f.mixed[w][i]
			row = append(row, rate(o), fmt.Sprintf("%.2f", o.met.ttft), fmt.Sprintf("%.2f", o.met.tbt), o.above.fails())
		}
		t.Add(row...)
	}
	return t
}

// Networks is the best split over each.
func (p *page) Networks() *study.Table {
	t := &study.Table{Titles: []string{"GB/s each way"}}
	for _, name := range workloadNames {
		for _, g := range granularities {
			t.Titles = append(t.Titles, name+", "+g.name)
		}
	}
	f := p.study()
	for i, bandwidth := range p.scale.bandwidths {
		row := []string{fmt.Sprint(bandwidth / 1e9)}
		for w := range workloads {
			for g := range granularities {
				row = append(row, rate(f.networks[w][i*len(granularities)+g]))
			}
		}
		t.Add(row...)
	}
	return t
}

// Variants is the summary under other assumptions.
func (p *page) Variants() *study.Table {
	t := &study.Table{Titles: []string{""}}
	for _, name := range workloadNames {
		t.Titles = append(t.Titles, name+": mixed", "split", "prefill : decode", "÷")
	}
	for _, f := range p.all {
		row := []string{f.variant.name}
		for w := range workloads {
			mixed, split := best(f.mixed[w]), best(f.split[w])
			row = append(row, rate(mixed), rate(split), split.cluster.String(), times(split, mixed))
		}
		t.Add(row...)
	}
	return t
}

// Alone is what a request takes on a machine of its own.
func (p *page) Alone() *study.Table {
	t := &study.Table{Titles: []string{"prompt, tokens", "TTFT ms, H100", "A100", "TBT ms, H100", "A100"}}
	h, a := uncontended{p.in.h100.table(assumptions{}).Timer()}, uncontended{p.in.a100.table(assumptions{}).Timer()}
	for _, n := range []int{128, 512, 1024, 2048, 4096, 8192} {
		ms := func(d interface{ Seconds() float64 }) string { return fmt.Sprintf("%.1f", 1e3*d.Seconds()) }
		t.Add(fmt.Sprint(n), ms(h.ttft(n)), ms(a.ttft(n)), ms(h.tbt(n, measuredAnswer)), ms(a.tbt(n, measuredAnswer)))
	}
	return t
}

// chart draws the highest rates over the splits.
func (p *page) chart() *chart.Chart {
	c := &chart.Chart{
		Title: fmt.Sprintf("%d machines: highest rate within the SLOs", p.scale.machines),
		X:     "prefill machines; the others decode", Y: "requests/s",
	}
	f := p.study()
	for _, o := range f.split[code] {
		c.Ticks = append(c.Ticks, fmt.Sprint(o.cluster.prefill))
	}
	for w, name := range workloadNames {
		split := chart.Line{Name: name + ", split", Colour: w}
		mixed := chart.Line{Name: fmt.Sprintf("%s, mixed, %d tokens a step", name, best(f.mixed[w]).cluster.budget), Colour: w, Dashed: true}
		for i, o := range f.split[w] {
			split.Points = append(split.Points, chart.XY{X: float64(i), Y: o.met.rate})
			mixed.Points = append(mixed.Points, chart.XY{X: float64(i), Y: best(f.mixed[w]).met.rate})
		}
		c.Lines = append(c.Lines, split, mixed)
	}
	return c
}

func rate(o outcome) string {
	if o.met.rate == 0 {
		return "none"
	}
	return fmt.Sprintf("%.2f", o.met.rate)
}

func times(a, b outcome) string {
	if b.met.rate == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", a.met.rate/b.met.rate)
}
