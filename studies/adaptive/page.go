// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed" // the page
	"fmt"
	"slices"
	"strings"
	"text/template"
	"time"

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
	var seeds []string
	for _, s := range f.seeds {
		seeds = append(seeds, fmt.Sprint(s))
	}
	o := f.outcomes[0]
	data := map[string]any{
		"Chart": chart, "Engine": simulator.EngineVersion, "Seeds": strings.Join(seeds, ", "), "PublishedSeeds": f.publishedSeeds,
		"Requests": f.requests, "Lasting": inWords(f.lasting), "RolloutsRun": inWords(f.rolloutsRun), "ToolsRun": inWords(f.toolsRun),
		"Published": f.publishedTable(), "Ratios": f.ratiosTable(), "Claims": f.claimsTable(),
		"Stated": o.statedTable(), "Grid": o.gridTable(), "Laws": o.lawsTable(),
		"Ramp": workloadTable(o.onRamp), "Rollouts": workloadTable(o.onRollouts), "Tools": workloadTable(o.onTools),
	}
	for i, model := range f.models {
		data["Long"+string(model)], data["Capacity"+string(model)] = f.longTable(i), fmt.Sprintf("%.0f", f.capacities[i])
	}
	f.facts(data)
	return data
}

// inWords writes a duration of whole minutes or seconds.
func inWords(duration string) string {
	d, err := time.ParseDuration(duration)
	switch {
	case err != nil:
		return duration
	case d%time.Minute == 0 && d > time.Minute:
		return fmt.Sprintf("%d minutes", d/time.Minute)
	}
	return fmt.Sprintf("%g seconds", d.Seconds())
}

// facts are figures that the text uses.
func (f *findings) facts(data map[string]any) {
	o := f.outcomes[0]
	tools := func(name string) string { return percent(named(o.onTools, name), "goodput") }
	data["ToolsBest"] = tools("2:1")
	data["ToolsStepGood"], data["ToolsEXP3"] = tools("step rule from 2:1"), tools("EXP3 from 1:1, epochs of 2 s")
	data["RolloutsFixed"], data["RolloutsFree"] = percent(named(o.onRollouts, "5:2"), "goodput"), percent(named(o.onRollouts, stepFree.name), "goodput")
	data["RolloutsCap"] = percent(named(o.onRollouts, step.name), "goodput")
	first := &f.published[0]
	data["WorstWithin"], data["AllWithin"], data["CompletedWithin"] = "not within 3 %", "not within 3 %", "not within 3 %"
	for name, within := range map[string]bool{
		"WorstWithin":     first.within("maxReplica.ttft.p99", first.worst/1000, 0.03),
		"AllWithin":       first.within("ttft.p99", first.all/1000, 0.03),
		"CompletedWithin": first.within("completionRate", first.completed, 0.03),
	} {
		if within {
			data[name] = "within 3 %"
		}
	}
	data["WorstHere"] = milliseconds(first.here, "maxReplica.ttft.p99")
	worst := stats.MeanInterval(first.here.values("maxReplica.ttft.p99"), confidence)
	data["WorstSpread"] = fmt.Sprintf("%.0f", 1000*worst.StdDev)
	below := 0
	for _, v := range first.here.values("maxReplica.ttft.p99") {
		if v <= first.worst/1000 {
			below++
		}
	}
	data["WorstBelow"] = below
	data["SilentHalf"] = percentOf(o.silence(0))
}

// silence is the mean share of epochs without a rejection at a stated rate, under the step
// rule.
func (o *outcome) silence(rate int) float64 {
	silent, epochs := 0, 0
	for _, d := range o.stated[rate][2].documents {
		for _, a := range d.Adaptive {
			for i := range a.Epochs {
				epochs++
				if a.Epochs[i].Rejected == 0 {
					silent++
				}
			}
		}
	}
	return float64(silent) / float64(max(epochs, 1))
}

func (f *findings) claimsTable() *study.Table {
	titles := []string{"hypothesis", "run", "stated rule"}
	for _, o := range f.outcomes {
		titles = append(titles, o.name)
	}
	t := &study.Table{Titles: titles}
	byOutcome := make([][]claim, len(f.outcomes))
	for i, o := range f.outcomes {
		byOutcome[i] = o.claims()
	}
	for i, c := range byOutcome[0] {
		cells := []string{c.id, c.run, c.rule}
		for _, claims := range byOutcome {
			cells = append(cells, claims[i].verdict()+": "+claims[i].found)
		}
		t.Add(cells...)
	}
	return t
}

// statedTable has the six configurations at the stated rates.
func (o *outcome) statedTable() *study.Table {
	titles := []string{"configuration"}
	for _, rate := range o.rates {
		titles = append(titles, fmt.Sprintf("%g/s: goodput", rate), "TTFT P99")
	}
	t := &study.Table{Titles: titles}
	for i, c := range six {
		cells := []string{c.name}
		for _, atRate := range o.stated {
			cells = append(cells, percent(atRate[i], "goodput"), milliseconds(atRate[i], "ttft.p99"))
		}
		t.Add(cells...)
	}
	return t
}

// longTable has the six configurations at shares of the capacity.
func (f *findings) longTable(model int) *study.Table {
	titles := []string{"configuration"}
	for i, share := range f.shares {
		titles = append(titles, fmt.Sprintf("%g × capacity (%.0f/s): goodput", share, share*f.capacities[model]), "TTFT P99")
		if i == len(f.shares)-1 {
			titles = append(titles, "backlog grows by", "mean ratio")
		}
	}
	t := &study.Table{Titles: titles}
	for i, c := range six {
		cells := []string{c.name}
		for _, atShare := range f.long[model] {
			cells = append(cells, percent(atShare[i], "goodput"), milliseconds(atShare[i], "ttft.p99"))
		}
		last := f.long[model][len(f.shares)-1][i]
		cells = append(cells, percent(last, "backlogGrowth"), number(last, "adaptive.ratio.mean"))
		t.Add(cells...)
	}
	return t
}

// gridTable has the best fixed weights at each rate next to the laws.
func (o *outcome) gridTable() *study.Table {
	titles := []string{"rate", "best fixed weights", "their goodput", "least TTFT P99 of fixed weights"}
	for _, l := range lawsUnderTest {
		titles = append(titles, l.name)
	}
	t := &study.Table{Titles: titles}
	for i, rate := range o.rates {
		name, best := o.bestOf(i, "goodput")
		cells := []string{fmt.Sprintf("%g/s", rate), name, percentOf(best), o.leastTTFT(i)}
		for _, m := range o.lawsStated[i] {
			cells = append(cells, fmt.Sprintf("%s, %s", percent(m, "goodput"), milliseconds(m, "ttft.p99")))
		}
		t.Add(cells...)
	}
	return t
}

// leastTTFT names the fixed weights with the least P99 at a rate.
func (o *outcome) leastTTFT(rate int) string {
	least := slices.MinFunc(o.gridStated[rate], func(a, b *measured) int {
		if a.mean("ttft.p99") < b.mean("ttft.p99") {
			return -1
		}
		return 1
	})
	return fmt.Sprintf("%.0f ms at %s", 1000*least.mean("ttft.p99"), grid[slices.Index(o.gridStated[rate], least)].name)
}

// lawsTable says how the laws move where the rate is steady.
func (o *outcome) lawsTable() *study.Table {
	t := &study.Table{Titles: []string{"law", "goodput", "TTFT P99", "mean ratio", "deviation", "period, epochs", fmt.Sprintf("ratios of the last %d epochs", lastEpochs)}}
	for i, l := range lawsUnderTest {
		m := o.steadyLaws[i]
		var last []float64
		for _, ratios := range m.lastRatios(lastEpochs) {
			last = append(last, ratios...)
		}
		t.Add(l.name, percent(m, "goodput"), milliseconds(m, "ttft.p99"), number(m, "adaptive.ratio.mean"), number(m, "adaptive.ratio.stdDev"),
			number(m, "adaptive.ratio.period"), fmt.Sprintf("%.2f to %.2f", slices.Min(last), slices.Max(last)))
	}
	return t
}

// workloadTable has configurations on one workload.
func workloadTable(rows []row) *study.Table {
	t := &study.Table{Titles: []string{"configuration", "goodput", "rejected", "TTFT mean", "TTFT P99", "greatest TTFT", "cache hits", "mean ratio", "deviation", "period, epochs"}}
	for _, r := range rows {
		t.Add(r.name, percent(r.measured, "goodput"), percent(r.measured, "rejectionRate"), milliseconds(r.measured, "ttft.mean"), milliseconds(r.measured, "ttft.p99"),
			milliseconds(r.measured, "ttft.max"), percent(r.measured, "cacheHit.gpu"), number(r.measured, "adaptive.ratio.mean"), number(r.measured, "adaptive.ratio.stdDev"), number(r.measured, "adaptive.ratio.period"))
	}
	return t
}

// interval is the mean of a metric over the seeds and half the width of its interval.
func interval(m *measured, metric string) (mean, margin float64, ok bool) {
	values := m.values(metric)
	if len(values) == 0 {
		return 0, 0, false
	}
	i := stats.MeanInterval(values, confidence)
	return i.Mean, (i.High - i.Low) / 2, true
}

const nothing = "–"

func percent(m *measured, metric string) string {
	mean, margin, ok := interval(m, metric)
	if !ok {
		return nothing
	}
	return fmt.Sprintf("%.1f ± %.1f %%", 100*mean+0, 100*margin)
}

func percentOf(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

func milliseconds(m *measured, metric string) string {
	mean, margin, ok := interval(m, metric)
	if !ok {
		return nothing
	}
	return fmt.Sprintf("%.0f ± %.0f ms", 1000*mean, 1000*margin)
}

func number(m *measured, metric string) string {
	mean, _, ok := interval(m, metric)
	if !ok {
		return nothing
	}
	return fmt.Sprintf("%.2f", mean)
}

// charted is how many epochs the chart shows.
const charted = 40

// chart draws the ratio by epoch of each law under the first seed, where the rate is
// steady.
func (f *findings) chart() *chart.Chart {
	c := &chart.Chart{Title: fmt.Sprintf("The ratio of the weights at %g requests per second", f.rates[len(f.rates)-1]), X: "epoch of 100 arrivals", Y: "prefix ÷ load"}
	for i, l := range lawsUnderTest {
		ratios := f.outcomes[0].steadyLaws[i].ratios(f.outcomes[0].steadyLaws[i].documents[0])
		line := chart.Line{Name: l.name, Colour: i, Plain: true}
		for x, ratio := range ratios[:min(len(ratios), charted)] {
			line.Points = append(line.Points, chart.XY{X: float64(x), Y: ratio})
		}
		c.Lines = append(c.Lines, line)
	}
	for i := range charted {
		tick := ""
		if i%5 == 0 {
			tick = fmt.Sprint(i)
		}
		c.Ticks = append(c.Ticks, tick)
	}
	return c
}
