// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	_ "embed" // the page
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"time"

	"windtunnel.dev/windtunnel/internal/chart"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/studies/study"
)

//go:embed page.md.tmpl
var pageText string

// write writes the page, and a picture for each load next to it; nothing unless all could be
// made.
func (f *findings) write(path string) error {
	stem := strings.TrimSuffix(path, filepath.Ext(path))
	files := map[string][]byte{}
	for i := range f.scale.loads {
		l := &f.scale.loads[i]
		var picture bytes.Buffer
		if err := chart.WriteColumn(&picture, f.charts(l)); err != nil {
			return err
		}
		files[fmt.Sprintf("%s-%s.svg", stem, l.name)] = picture.Bytes()
	}
	functions := template.FuncMap{"table": f.table, "policy": f.policy}
	var text bytes.Buffer
	page, err := template.New("page").Funcs(functions).Parse(pageText)
	if err != nil {
		return err
	}
	if err := page.Execute(&text, f.page()); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	files[path] = text.Bytes()
	for name, content := range files {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// page is what the template needs.
func (f *findings) page() any {
	one, two := f.clusters[0].pools, f.clusters[1].pools
	d, s := &f.scale.loads[0], &f.scale.loads[1]
	return map[string]any{
		"Engine": simulator.EngineVersion, "Headroom": fmt.Sprintf("%.0f %%", 100*headroom), "Served": fmt.Sprintf("%.0f %%", 100*served),
		"One": decimal(one[0].requests), "Prefill": decimal(two[0].requests), "Decode": decimal(two[1].requests),
		"DayMean": fmt.Sprintf("%.0f", d.mean()), "DayPeak": fmt.Sprintf("%.0f", d.peak()), "DayLeast": fmt.Sprintf("%.0f", d.least()),
		"SpikeLow": decimal(s.least()), "SpikePeak": decimal(s.peak()),
		"DayNeed": listed(f.clusters[0].need(d.peak())), "DayNeedTwo": listed(f.clusters[1].need(d.peak())),
		"DayHours": fmt.Sprintf("%.0f", d.length().Hours()), "DayFactor": decimal(dayFactor), "Most": f.clusters[0].most(),
		"Seeds": len(s.seeds), "Spread": f.spread(s), "Outside": percent(s.outside()), "Enough": percent(enough),
		"EachCeil": f.answers[0].each(0), "EachExample": f.answers[0].each(1),
		"General": f.general(), "Spikes": f.spikes(), "Policies": f.policies(),
		"Verdicts": tableOf(f.general(), f.spikes(), f.policies()),
		"Best":     f.best(), "Summary": f.summary(), "Published": f.publishedTable(),
	}
}

// least is the lowest rate.
func (l *load) least() float64 {
	smallest := math.Inf(1)
	for _, s := range l.stages {
		smallest = min(smallest, s.perSecond)
	}
	return smallest
}

// spread is the greatest half-width of the intervals of the share within targets, in points.
func (f *findings) spread(l *load) string {
	var widths []float64
	for _, c := range f.contests {
		if c.load != l {
			continue
		}
		for i := range c.cells {
			widths = append(widths, 100*c.cells[i].interval("goodput").StdDev)
		}
	}
	largest := 0.0
	for _, w := range widths {
		largest = max(largest, w)
	}
	return fmt.Sprintf("%.1f", largest)
}

// contest returns that of a load on a cluster.
func (f *findings) contest(load, cluster string) *contest {
	for _, c := range f.contests {
		if c.load.name == load && c.cluster.name == cluster {
			return c
		}
	}
	panic("autoscaling: no contest of " + load + " and " + cluster)
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// number has three digits.
func number(v float64) string {
	switch {
	case v >= 100:
		return study.Grouped(int64(math.Round(v)))
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// lasting writes seconds as minutes.
func lasting(seconds float64) string {
	if seconds < 90 {
		return fmt.Sprintf("%.0f s", seconds)
	}
	return fmt.Sprintf("%.1f min", seconds/60)
}

// inWords writes a time to start.
func inWords(d time.Duration) string {
	switch {
	case d == 0:
		return "any"
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f min", d.Minutes())
}

// table is that of a load on a cluster.
func (f *findings) table(load, cluster string) *study.Table {
	c := f.contest(load, cluster)
	split := len(c.cluster.pools) > 1
	t := &study.Table{Titles: []string{"policy", "start-up", "within targets", "replica-hours", "good requests / replica-hour", "longest miss", "events", "reversals / h", "lost"}}
	if split {
		t.Titles = append(t.Titles, "P:D drift")
	}
	for i := range c.cells {
		x := &c.cells[i]
		row := []string{
			"`" + x.contender.policy + "`" + strings.TrimPrefix(x.contender.name, x.contender.policy), inWords(x.startup), percent(x.mean("goodput")),
			number(x.mean("replicaHours")), number(x.mean("goodRequestsPerReplicaHour")), lasting(x.mean("recoveryTime")),
			fmt.Sprintf("%.0f", x.mean("scaling.events")), fmt.Sprintf("%.1f", x.mean("scaling.reversalsPerHour")), fmt.Sprintf("%.0f", x.mean("scaling.lostRequests")),
		}
		if split {
			row = append(row, fmt.Sprintf("%.0f %%", 100*x.mean("pdRatioDrift")))
		}
		t.Add(row...)
	}
	return t
}

// summary is the share within targets and the replica-hours of all contests, by the middle
// time to start.
func (f *findings) summary() *study.Table {
	startup := f.scale.startups[len(f.scale.startups)/2]
	t := &study.Table{Titles: []string{"policy"}}
	var ordered []*contest
	for i := range f.scale.loads {
		for _, c := range f.contests {
			if c.load == &f.scale.loads[i] {
				ordered = append(ordered, c)
				t.Titles = append(t.Titles, c.load.name+", "+c.cluster.name)
			}
		}
	}
	for _, k := range contenders() {
		row := []string{"`" + k.policy + "`" + strings.TrimPrefix(k.name, k.policy)}
		for _, c := range ordered {
			cell := "–"
			if s := c.at(startup); k.can == nil || k.can(&s) {
				x := c.of(k.name, startup)
				cell = fmt.Sprintf("%s, %s h", percent(x.mean("goodput")), number(x.mean("replicaHours")))
			}
			row = append(row, cell)
		}
		t.Add(row...)
	}
	return t
}

// best has, of the policies that react and cost less than a fixed number for the peak, the one
// that keeps the most and the cheapest that keeps enough.
func (f *findings) best() *study.Table {
	t := &study.Table{Titles: []string{"load, cluster, start-up", "keeps the most", "the least replica-hours with " + percent(enough)}}
	for i := range f.scale.loads {
		for _, p := range f.places(f.scale.loads[i].name) {
			cheaper := slices.DeleteFunc(p.reacting(), func(name string) bool { return p.hours(name) >= p.hours(forPeak) })
			most, cheapest, least := "none", "none", math.Inf(1)
			if len(cheaper) > 0 {
				most = p.in(cheaper[0])
			}
			for _, name := range cheaper {
				if p.share(name) >= enough && p.hours(name) < least {
					cheapest, least = p.in(name), p.hours(name)
				}
			}
			t.Add(p.String(), most, cheapest)
		}
	}
	return t
}

// publishedTable is the cases of both forms.
func (f *findings) publishedTable() *study.Table {
	t := &study.Table{Titles: []string{"case", "replicas", "`heteroscale`"}}
	for _, r := range roundings {
		t.Titles = append(t.Titles, "`heteroscale-seed`, "+r)
	}
	for _, a := range f.answers {
		t.Add(append([]string{a.name, fmt.Sprintf("%d + %d", a.prefill, a.decode), a.heteroscale}, a.seed...)...)
	}
	return t
}

// charts draw the clusters under a load: the share within targets over replica-hours. A line
// joins the times to start of a policy.
func (f *findings) charts(l *load) []chart.Chart {
	var all []chart.Chart
	for _, c := range f.contests {
		if c.load == l {
			all = append(all, c.chart())
		}
	}
	return all
}

// tickCount is how many labels the axis of replica-hours has at most.
const tickCount = 12

// filled is how many policies have filled dots; the others have the same colours, with rings.
const filled = 7

func (c *contest) chart() chart.Chart {
	most := 0.0
	for i := range c.cells {
		most = max(most, c.cells[i].mean("replicaHours"))
	}
	step := 1.0
	for most/step > tickCount {
		step *= 2
	}
	out := chart.Chart{
		Title: fmt.Sprintf("%s, %s: a line joins start-ups of 30 s, 3 min and 10 min", c.load.name, c.cluster.name),
		X:     "replica-hours", Y: "% of requests within targets",
	}
	for h := 0.0; h < most+step; h += step {
		out.Ticks = append(out.Ticks, decimal(h))
	}
	colours := map[string]int{} // of a policy in all charts
	for i, k := range contenders() {
		colours[k.name] = i
	}
	for i := range c.cells {
		x := &c.cells[i]
		point := chart.XY{X: x.mean("replicaHours") / step, Y: 100 * x.mean("goodput")}
		if n := len(out.Lines); n == 0 || out.Lines[n-1].Name != x.contender.name {
			k := colours[x.contender.name]
			out.Lines = append(out.Lines, chart.Line{Name: x.contender.name, Colour: k % filled, Hollow: k >= filled})
		}
		last := &out.Lines[len(out.Lines)-1]
		last.Points = append(last.Points, point)
	}
	return out
}
