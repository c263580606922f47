// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// RunTable prints documents of one scenario, one a seed, for people: latencies
// in ms, shares in %, means over the seeds with half the width of their
// interval. Classes, tenants and pools follow where there are several. What
// the figures rest on stands below.
func RunTable(w io.Writer, docs []*Document) error {
	if len(docs) == 0 {
		_, err := fmt.Fprintln(w, seedsNote(nil))
		return err
	}
	docs = slices.Clone(docs)
	slices.SortFunc(docs, func(a, b *Document) int { return cmp.Compare(a.Seed, b.Seed) })
	var b bytes.Buffer
	r := runTable{docs}
	r.latencies().write(&b)
	b.WriteByte('\n')
	r.figures().write(&b)
	for _, names := range r.dimensions() {
		if len(names) > 1 {
			b.WriteByte('\n')
			r.breakdown(names).write(&b)
		}
	}
	b.WriteByte('\n')
	for _, note := range r.notes() {
		fmt.Fprintln(&b, note)
	}
	_, err := b.WriteTo(w)
	return err
}

// runTable holds at least one document, ascending by seed.
type runTable struct{ docs []*Document }

// estimate returns a metric's interval over the documents.
func (r runTable) estimate(m Metric) stats.Interval {
	return r.over(func(d *Document) (float64, bool) { return d.Value(m) })
}

func (r runTable) arrived(s Selector) stats.Interval {
	return r.over(func(d *Document) (float64, bool) {
		if g := d.group(s); g != nil {
			return float64(g.Requests.Arrived), true
		}
		return 0, false
	})
}

func (r runTable) over(of func(*Document) (float64, bool)) stats.Interval {
	var values []float64
	for _, d := range r.docs {
		if value, ok := of(d); ok {
			values = append(values, value)
		}
	}
	return stats.MeanInterval(values, Confidence)
}

// latencies is a grid of latency metrics by statistic.
func (r runTable) latencies() *grid {
	var names []string
	var means, margins [][]string // by statistic, then metric
	var statistics []string
	for i := range families {
		f := &families[i]
		if f.statistics[0].unit != Seconds {
			continue
		}
		var line []stats.Interval
		for _, s := range f.statisticNames() {
			line = append(line, r.estimate(Metric{Name: f.name, Statistic: s}))
		}
		if f.seldom && line[0].N == 0 {
			continue
		}
		names, statistics = append(names, title(f.name, Seconds)), f.statisticNames()
		lineMeans, lineMargins := figures(line, Seconds, len(r.docs))
		if means == nil {
			means, margins = make([][]string, len(line)), make([][]string, len(line))
		}
		for j := range line {
			means[j], margins[j] = append(means[j], lineMeans[j]), append(margins[j], lineMargins[j])
		}
	}
	g := &grid{}
	g.add("", false, names)
	for j, s := range statistics {
		g.add(s, false, beside(means[j], margins[j]))
	}
	return g
}

// figures is a list of all other metrics that have values.
func (r runTable) figures() *grid {
	names := []string{"arrived"}
	means, margins := figures([]stats.Interval{r.arrived(Selector{})}, Count, len(r.docs))
	for _, m := range registered() {
		estimate := r.estimate(m)
		if m.Unit() == Seconds || estimate.N == 0 {
			continue
		}
		mean, margin := figures([]stats.Interval{estimate}, m.Unit(), len(r.docs))
		names = append(names, title(m.String(), m.Unit()))
		means, margins = append(means, mean...), append(margins, margin...)
	}
	g := &grid{}
	g.add("overall", false, names)
	g.add("", false, beside(means, margins))
	return g
}

// dimensions returns the selectors of the classes, tenants and pools.
func (r runTable) dimensions() [][]Selector {
	var dimensions [][]Selector
	d := r.docs[0]
	for _, groups := range [][]Group{d.Classes, d.Tenants, d.Pools} {
		var selectors []Selector
		for i := range groups {
			selectors = append(selectors, groups[i].Selector)
		}
		dimensions = append(dimensions, selectors)
	}
	return dimensions
}

// breakdownMetrics are the columns of a breakdown; those without any value are
// left out.
var breakdownMetrics = []string{
	"completionRate", "goodput", "ttft.p50", "ttft.p99", "tpot.p99", "e2e.p99",
	"throughput.outputTokens", "cacheHit.gpu", "cacheHit.total", "handoff.p99", "preemptions", "utilization",
}

// breakdown compares the groups of one dimension.
func (r runTable) breakdown(selectors []Selector) *grid {
	var names []string
	var arrivals []stats.Interval
	for _, s := range selectors {
		names = append(names, cmp.Or(s.Class, s.Tenant, s.Pool))
		arrivals = append(arrivals, r.arrived(s))
	}
	g := &grid{}
	g.add(selectors[0].dimension(), false, names)
	g.add("arrived", false, beside(figures(arrivals, Count, len(r.docs))))
	for _, name := range breakdownMetrics {
		m := MustParseMetric(name)
		if len(selectors[0].misplaced(findFamily(m.Name).labels)) > 0 {
			continue
		}
		var estimates []stats.Interval
		measured := false
		for _, m.Selector = range selectors {
			estimate := r.estimate(m)
			measured = measured || estimate.N > 0
			estimates = append(estimates, estimate)
		}
		if measured {
			g.add(title(name, m.Unit()), false, beside(figures(estimates, m.Unit(), len(r.docs))))
		}
	}
	return g
}

// dimension names the label of a selector that has one.
func (s Selector) dimension() string {
	for _, name := range allLabels {
		if *s.label(name) != "" {
			return name
		}
	}
	return ""
}
