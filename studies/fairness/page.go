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
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/studies/study"
)

//go:embed page.md.tmpl
var pageText string

func (f *findings) write(path string) error {
	functions := template.FuncMap{"good": f.good, "ofLarge": f.ofLarge, "ttft": f.ttft, "jain": f.jain, "ratio": f.ratio}
	return study.WritePage(path, template.Must(template.New("page").Funcs(functions).Parse(pageText)), f.page, f.chart())
}

func (f *findings) page(chart string) any {
	return map[string]any{
		"Chart": chart, "Engine": simulator.EngineVersion, "Seeds": f.seeds,
		"Good":    f.table(func(s score) string { return percent(s.good) }),
		"TTFT":    f.table(func(s score) string { return milliseconds(s.ttft99) }),
		"Jain":    f.jainTable(),
		"Signals": f.signalTable(), "Ratios": f.ratioTable(), "Cluster": f.clusterTable(),
	}
}

// at returns the score of a protection under a workload, for the template.
func (f *findings) at(router, admission, engine, workload string) (score, error) {
	i := slices.Index(f.protections, protection{router, admission, engine})
	if i < 0 {
		return score{}, fmt.Errorf("no protection %s, %s, %s", router, admission, engine)
	}
	return f.scores[i][workload], nil
}

func (f *findings) good(router, admission, engine, workload string) (string, error) {
	s, err := f.at(router, admission, engine, workload)
	return fmt.Sprintf("%.0f %%", 100*s.good.Mean), err
}

func (f *findings) ofLarge(router, admission, engine, workload string) (string, error) {
	s, err := f.at(router, admission, engine, workload)
	return fmt.Sprintf("%.0f %%", 100*s.ofLarge.Mean), err
}

func (f *findings) ttft(router, admission, engine, workload string) (string, error) {
	s, err := f.at(router, admission, engine, workload)
	return fmt.Sprintf("%.0f ms", 1000*s.ttft99.Mean), err
}

func (f *findings) jain(router, admission, engine, workload string) (string, error) {
	s, err := f.at(router, admission, engine, workload)
	return fmt.Sprintf("%.2f", s.completions.Mean), err
}

// words name a protection.
func (p protection) words() string {
	engine := map[string]string{"fcfs": "", "fair": "fair queue", "fair-in-chunks": "fair queue, chunks"}[p.engine]
	admission := map[string]string{
		"none": "", "requests": "budget in requests", "tokens": "budget in tokens", "rate": "rate in tokens", "equal-shares": "budget in requests, equal shares",
	}[p.admission]
	router := map[string]string{"epp": "", "flow-control": "flow control"}[p.router]
	parts := slices.DeleteFunc([]string{router, admission, engine}, func(s string) bool { return s == "" })
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, " + ")
}

func workloads() []string { return append([]string{calm}, abuses...) }

// table has a figure of each protection under each workload.
func (f *findings) table(figure func(score) string) *study.Table {
	t := &study.Table{Titles: append([]string{"protection"}, workloads()...)}
	for i, p := range f.protections {
		row := []string{p.words()}
		for _, workload := range workloads() {
			row = append(row, figure(f.scores[i][workload]))
		}
		t.Add(row...)
	}
	return t
}

// jainTable has the two indices under all abuses.
func (f *findings) jainTable() *study.Table {
	t := &study.Table{Titles: []string{"protection"}}
	for _, of := range []string{"completed", "tokens"} {
		for _, abuse := range abuses {
			t.Titles = append(t.Titles, of+", "+abuse)
		}
	}
	for i, p := range f.protections {
		row := []string{p.words()}
		for _, abuse := range abuses {
			row = append(row, index(f.scores[i][abuse].completions))
		}
		for _, abuse := range abuses {
			row = append(row, index(f.scores[i][abuse].tokens))
		}
		t.Add(row...)
	}
	return t
}

func index(i stats.Interval) string { return fmt.Sprintf("%.2f ± %.2f", i.Mean, (i.High-i.Low)/2) }

func percent(i stats.Interval) string {
	return fmt.Sprintf("%.1f ± %.1f %%", 100*i.Mean, 100*(i.High-i.Low)/2)
}

func milliseconds(i stats.Interval) string {
	return fmt.Sprintf("%.0f ± %.0f ms", 1000*i.Mean, 1000*(i.High-i.Low)/2)
}

// chart draws the share of the others' requests in time by protection.
func (f *findings) chart() *chart.Chart {
	c := &chart.Chart{Title: "Requests of the nine others within 500 ms", X: "protection, in the order of the table", Y: "%"}
	for i := range f.protections {
		c.Ticks = append(c.Ticks, fmt.Sprint(i+1))
	}
	for colour, workload := range abuses {
		line := chart.Line{Name: workload, Colour: colour}
		for i := range f.protections {
			line.Points = append(line.Points, chart.XY{X: float64(i), Y: 100 * f.scores[i][workload].good.Mean})
		}
		c.Lines = append(c.Lines, line)
	}
	return c
}
