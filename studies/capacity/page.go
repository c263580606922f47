// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed" // the page
	"fmt"
	"math"
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
	benchmark            // with the catalogue's shares
	calibrated benchmark // with those of the sample
	guide      benchmark
	roomy      benchmark // guide with twice the KV cache
}

// write writes the page and, next to it, the chart.
func (p *page) write(path string) error {
	return study.WritePage(path, template.Must(template.New("page").Parse(pageText)), p.data, p.chart())
}

func (p *page) data(chart string) any {
	precise, random, load := p.mean("precise"), p.mean("random"), p.mean("load")
	return map[string]any{
		"Chart":            chart,
		"Engine":           simulator.EngineVersion,
		"Seeds":            len(seeds),
		"Means":            p.means(),
		"CalibratedMeans":  p.calibrated.means(),
		"CalibratedRates":  p.calibrated.rates(),
		"Rates":            p.rates(),
		"TTFTs":            p.ttfts(),
		"Ratio":            p.ratio("precise", "random"),
		"Apart":            fmt.Sprintf("%.0f %%", 100*math.Abs(load.ours-random.ours)/math.Max(load.ours, random.ours)),
		"Before":           fmt.Sprintf("%.1f s", p.ours["random"].at(15).meanTTFT),
		"After":            fmt.Sprintf("%.1f s", p.ours["random"].at(20).meanTTFT),
		"PublishedTail":    tail(p.published["precise"][len(p.published["precise"])-1]),
		"Tail":             tail(p.ours["precise"].at(60)),
		"LowTTFT":          fmt.Sprintf("%.2f s", p.ours["precise"].at(3).meanTTFT),
		"PublishedLowTTFT": fmt.Sprintf("%.2f s", p.published["precise"][0].meanTTFT),
		"GuideMeans":       p.guide.means(),
		"GuideRates":       p.guide.rates(),
		"GuideTTFTs":       p.guide.ttfts(),
		"RoomyError":       p.roomy.mean("optimized").err(),
		"Preemptions":      p.roomy.ours["optimized"].preemptions,
		"GuideRatio":       p.guide.ratio("optimized", "service"),
		"Ordered":          precise.ours > p.mean("estimated").ours && p.mean("estimated").ours > math.Max(load.ours, random.ours),
	}
}

// at is the stage of a rate.
func (m measured) at(rate float64) stage {
	for _, s := range m.stages {
		if s.rate == rate {
			return s
		}
	}
	return stage{}
}

// answerTokens is the length of every answer.
const answerTokens = 1000

// tail is how long a stage's last answer ends after the stage, by its throughput.
func tail(s stage) string {
	return fmt.Sprintf("%.0f s", s.rate*s.seconds*answerTokens/s.tokensPerSecond-s.seconds)
}

// pair is a figure as it was published and as it is simulated.
type pair struct{ published, ours float64 }

// mean is the mean over stages of a profile's throughput.
func (p *benchmark) mean(profile string) pair {
	var sum pair
	for i, s := range p.published[profile] {
		sum.published += s.tokensPerSecond
		sum.ours += p.ours[profile].stages[i].tokensPerSecond
	}
	n := float64(len(p.published[profile]))
	return pair{sum.published / n, sum.ours / n}
}

// ratio is the throughput of one profile over that of another.
func (p *benchmark) ratio(profile, other string) pair {
	a, b := p.mean(profile), p.mean(other)
	return pair{a.published / b.published, a.ours / b.ours}
}

// Published is a ratio as it was published.
func (p pair) Published() string { return fmt.Sprintf("%.2f", p.published) }

// Simulated is a ratio as it is simulated.
func (p pair) Simulated() string { return fmt.Sprintf("%.2f", p.ours) }

// means is the table over all rates.
func (p *benchmark) means() string {
	t := study.Table{Titles: []string{"profile", "output tokens/s, published", "simulated", "error", "prompt tokens from caches", "preemptions"}}
	if p.before != nil {
		t.Titles = append(t.Titles, "error of engine version 6")
	}
	for _, profile := range p.profiles {
		m, all := p.mean(profile), p.ours[profile]
		row := []string{profile, fmt.Sprintf("%.0f", m.published), p.interval(profile), m.err(), fmt.Sprintf("%.0f %%", 100*all.hitShare), fmt.Sprintf("%.0f", all.preemptions)}
		if before, ok := p.before[profile]; ok {
			row = append(row, pair{m.published, before}.err())
		}
		t.Add(row...)
	}
	return t.String()
}

// interval is a profile's throughput with its 95 % confidence interval over seeds.
func (p *benchmark) interval(profile string) string {
	i := stats.MeanInterval(p.ours[profile].throughputs, 0.95)
	return fmt.Sprintf("%.0f ± %.0f", i.Mean, (i.High-i.Low)/2)
}

func (p pair) err() string { return fmt.Sprintf("%+.0f %%", 100*(p.ours/p.published-1)) }

// rates is the table of throughput by rate.
func (p *benchmark) rates() string {
	return p.byRate("requests/s", func(s stage) float64 { return s.tokensPerSecond }, func(v pair) string {
		return fmt.Sprintf("%.0f / %.0f (%s)", v.ours, v.published, v.err())
	})
}

// ttfts is the table of the mean time to first token by rate, in seconds.
func (p *benchmark) ttfts() string {
	return p.byRate("requests/s", func(s stage) float64 { return s.meanTTFT }, func(v pair) string {
		return fmt.Sprintf("%.2f / %.2f (%+.2f)", v.ours, v.published, v.ours-v.published)
	})
}

func (p *benchmark) byRate(title string, of func(stage) float64, cell func(pair) string) string {
	t := study.Table{Titles: append([]string{title}, p.profiles...)}
	for i, s := range p.published[p.profiles[0]] {
		row := []string{fmt.Sprint(s.rate)}
		for _, profile := range p.profiles {
			row = append(row, cell(pair{of(p.published[profile][i]), of(p.ours[profile].stages[i])}))
		}
		t.Add(row...)
	}
	return t.String()
}

// chart draws throughput by rate, what was published dashed.
func (p *page) chart() *chart.Chart {
	c := &chart.Chart{Title: "Output tokens a second", X: "requests/s", Y: "output tokens/s (dashed: published)"}
	for _, s := range p.published[profiles[0]] {
		c.Ticks = append(c.Ticks, fmt.Sprint(s.rate))
	}
	for colour, profile := range profiles {
		ours, published := chart.Line{Name: profile, Colour: colour}, chart.Line{Name: profile + ", published", Colour: colour, Dashed: true}
		for i, s := range p.published[profile] {
			published.Points = append(published.Points, chart.XY{X: float64(i), Y: s.tokensPerSecond})
			ours.Points = append(ours.Points, chart.XY{X: float64(i), Y: p.ours[profile].stages[i].tokensPerSecond})
		}
		c.Lines = append(c.Lines, ours, published)
	}
	return c
}
