// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed" // the page
	"fmt"
	"math"
	"slices"
	"strings"
	"text/template"

	"windtunnel.dev/windtunnel/internal/chart"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/studies/study"
)

//go:embed page.md.tmpl
var pageText string

func (f *findings) write(path string) error {
	return study.WritePage(path, template.Must(template.New("page").Parse(pageText)), f.page, f.chart())
}

func (f *findings) page(chart string) any {
	spread := slices.IndexFunc(f.workloads, workload.differs)
	return map[string]any{
		"Chart": chart, "Engine": simulator.EngineVersion, "Seeds": f.seeds, "Requests": f.requests,
		"Searched": f.searchTable(), "Burst": f.burstTable(),
		"Spread": f.charted[spread].finding, "SpreadName": f.workloads[spread].name,
		"Sustained":         growth(&f.sustained.tried[0]),
		"SustainedTTFT":     milliseconds(&f.sustained.tried[0]),
		"SustainedRequests": f.scale.sustained,
		"Widest":            fmt.Sprintf("%.1f %%", 100*f.widest()),
	}
}

// widest is how far, at most, the end of a bracket is from 1/m of the least m, as a
// share of that.
func (f *findings) widest() float64 {
	off := 0.0
	for i, w := range f.workloads {
		least, _ := w.shares()
		holds, grows := f.searched[i].bracket()
		for _, end := range []*tried{holds, grows} {
			if end == nil {
				return math.Inf(1)
			}
			off = max(off, math.Abs(end.ratio*least-1))
		}
	}
	return off
}

// searchTable is what the searches found next to the bound.
func (f *findings) searchTable() *study.Table {
	t := &study.Table{Titles: []string{
		"shared", "m", "1/m, of the greatest and of the least m", "holds up to", "its backlog grows by", "collapses at", "its backlog grows by",
	}}
	for i, w := range f.workloads {
		least, most := w.shares()
		m, bound := fmt.Sprintf("%.3g", most), fmt.Sprintf("%.3f", 1/most)
		if least < most {
			m, bound = fmt.Sprintf("%.3g to %.3g", least, most), fmt.Sprintf("%.3f, %.3f", 1/most, 1/least)
		}
		holds, grows := f.searched[i].bracket()
		row := []string{w.name, m, bound}
		for _, end := range []*tried{holds, grows} {
			if end == nil {
				row = append(row, "–", "–")
				continue
			}
			row = append(row, fmt.Sprintf("**%.3f**", end.ratio), growth(end))
		}
		t.Add(row...)
	}
	return t
}

// burstTable is of the published ratios.
func (f *findings) burstTable() *study.Table {
	t := &study.Table{Titles: []string{"prefix/load", "TTFT P99, seeds 42 and 123", "backlog grows by"}}
	for i := range f.burst.tried {
		b := &f.burst.tried[i]
		t.Add(fmt.Sprintf("%.4g", b.ratio), milliseconds(b), growth(b))
	}
	return t
}

func milliseconds(t *tried) string {
	var words []string
	for _, s := range t.ttft99 {
		words = append(words, fmt.Sprintf("%.0f", 1000*s))
	}
	return strings.Join(words, ", ") + " ms"
}

// growth is the mean and its interval, as a share of what arrives.
func growth(t *tried) string {
	i := stats.MeanInterval(t.growth, confidence)
	return fmt.Sprintf("%.1f ± %.1f %%", 100*i.Mean+0, 100*(i.High-i.Low)/2)
}

// chart draws by how much the backlog grows against the ratio.
func (f *findings) chart() *chart.Chart {
	c := &chart.Chart{
		Title: "By how much of what arrives the backlog grows", X: "prefix weight ÷ load weight", Y: "%", Ticks: f.ratios,
	}
	for i, w := range f.workloads {
		line := chart.Line{Name: "shared " + w.name, Colour: i % 3, Dashed: w.differs()}
		for x := range f.charted[i].tried {
			mean := stats.MeanInterval(f.charted[i].tried[x].growth, confidence).Mean
			line.Points = append(line.Points, chart.XY{X: float64(x), Y: max(0, 100*mean)})
		}
		c.Lines = append(c.Lines, line)
	}
	return c
}
