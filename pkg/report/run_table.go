// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// Run returns documents of one scenario, one for each seed, for people: latencies
// in ms, shares in %, means over the seeds with half the width of their
// interval. Tables by model, class, tenant and pool follow if there are several. The
// sentences below the tables say what the figures are based on.
func Run(docs []*result.Document) Text {
	if len(docs) == 0 {
		return Text{Body: seedsNote(nil) + "\n"}
	}
	docs = slices.Clone(docs)
	slices.SortFunc(docs, func(a, b *result.Document) int { return cmp.Compare(a.Seed, b.Seed) })
	var b bytes.Buffer
	r := runTable{docs}
	for _, f := range result.RunFindings(docs) {
		fmt.Fprintf(&b, "finding: %s\n\n", f)
	}
	for _, part := range r.parts() {
		part.write(&b)
		if part.more != "" {
			fmt.Fprintf(&b, "%s.\n", part.more)
		}
		b.WriteByte('\n')
	}
	return newText(&b, r.facts(), r.legend())
}

// runPart is a table of a run. more says what it leaves out; "" is nothing.
type runPart struct {
	*grid
	caption, more string
}

// parts are the tables of the run: latencies, other figures, and those by model, class, tenant
// and pool where there are several.
func (r runTable) parts() []runPart {
	parts := []runPart{{grid: r.latencies(), caption: latenciesCaption}, {grid: r.figures(), caption: figuresCaption, more: r.misread()}}
	for _, all := range r.dimensions() {
		if len(all) < 2 {
			continue
		}
		most := r.mostArrived(all)
		part := runPart{grid: r.breakdown(most), caption: "By " + all[0].Dimension()}
		if more := len(all) - len(most); more > 0 {
			part.more = fmt.Sprintf("%d more, each with fewer requests or as many: -o json has all", more)
		}
		parts = append(parts, part)
	}
	return parts
}

// runTable holds at least one document, ascending by seed.
type runTable struct{ docs []*result.Document }

// estimate returns a metric's interval over the documents.
func (r runTable) estimate(m result.Metric) stats.Interval {
	return r.over(func(d *result.Document) (float64, bool) { return d.Value(m) })
}

func (r runTable) arrived(s result.Selector) stats.Interval {
	return r.over(func(d *result.Document) (float64, bool) {
		if g := d.Group(s); g != nil {
			return float64(g.Requests.Arrived), true
		}
		return 0, false
	})
}

func (r runTable) over(of func(*result.Document) (float64, bool)) stats.Interval {
	var values []float64
	for _, d := range r.docs {
		if value, ok := of(d); ok {
			values = append(values, value)
		}
	}
	return stats.MeanInterval(values, result.Confidence)
}

// latencies is a grid of latency metrics by statistic.
func (r runTable) latencies() *grid {
	var names []string
	var means, margins [][]string // by statistic, then metric
	var heads []result.Metric
	for _, statistics := range latencyMetrics() {
		first := statistics[0]
		var line []stats.Interval
		for _, m := range statistics {
			line = append(line, r.estimate(m))
		}
		if first.Seldom() && line[0].N == 0 {
			continue
		}
		names, heads = append(names, result.Seconds.Title(first.Name)), statistics
		lineMeans, lineMargins := figures(line, result.Seconds, len(r.docs))
		if means == nil {
			means, margins = make([][]string, len(line)), make([][]string, len(line))
		}
		for j := range line {
			means[j], margins[j] = append(means[j], lineMeans[j]), append(margins[j], lineMargins[j])
		}
	}
	g := &grid{}
	g.add("", false, names)
	for j, m := range heads {
		g.add(m.Statistic, false, joinCells(means[j], margins[j]))
	}
	return g
}

// latencyMetrics are those of latencies, with the statistics of each together.
func latencyMetrics() [][]result.Metric {
	var all [][]result.Metric
	for _, m := range result.RegisteredMetrics() {
		switch last := len(all) - 1; {
		case !m.IsLatency():
		case last >= 0 && all[last][0].Name == m.Name:
			all[last] = append(all[last], m)
		default:
			all = append(all, []result.Metric{m})
		}
	}
	return all
}

// figures is a list of all other metrics that have values.
func (r runTable) figures() *grid {
	names := []string{"arrived"}
	means, margins := figures([]stats.Interval{r.arrived(result.Selector{})}, result.Count, len(r.docs))
	for _, m := range result.RegisteredMetrics() {
		estimate := r.estimate(m)
		if m.IsLatency() || estimate.N == 0 {
			continue
		}
		mean, margin := figures([]stats.Interval{estimate}, m.Unit(), len(r.docs))
		names = append(names, m.Unit().Title(m.String()))
		means, margins = append(means, mean...), append(margins, margin...)
	}
	g := &grid{}
	g.add("overall", false, names)
	g.add("", false, joinCells(means, margins))
	return g
}

// dimensions returns the selectors of the models, classes, tenants and pools.
func (r runTable) dimensions() [][]result.Selector {
	var dimensions [][]result.Selector
	d := r.docs[0]
	for _, groups := range [][]result.Group{d.Models, d.Classes, d.Tenants, d.Pools} {
		var selectors []result.Selector
		for i := range groups {
			selectors = append(selectors, groups[i].Selector)
		}
		dimensions = append(dimensions, selectors)
	}
	return dimensions
}

// mostGroups bounds the groups that a table compares.
const mostGroups = 40

// mostArrived returns the groups with the most requests, in the order that they have.
func (r runTable) mostArrived(selectors []result.Selector) []result.Selector {
	if len(selectors) <= mostGroups {
		return selectors
	}
	order := make([]int, len(selectors))
	arrived := make([]float64, len(selectors))
	for i, s := range selectors {
		order[i], arrived[i] = i, r.arrived(s).Mean
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(arrived[b], arrived[a]) })
	order = order[:mostGroups]
	slices.Sort(order)
	var most []result.Selector
	for _, i := range order {
		most = append(most, selectors[i])
	}
	return most
}

// breakdownMetrics are the columns of a breakdown; those without any value are
// left out.
var breakdownMetrics = []string{
	"requestShare", "completionRate", "goodput", "ttft.p50", "ttft.p99", "tpot.p99", "e2e.p99",
	"throughput.outputTokens", "cacheHit.gpu", "cacheHit.total", "handoff.p99", "preemptions", "utilization",
}

// breakdown compares the groups of one dimension.
func (r runTable) breakdown(selectors []result.Selector) *grid {
	var names []string
	var arrivals []stats.Interval
	for _, s := range selectors {
		names = append(names, cmp.Or(s.Class, s.Tenant, s.Pool, s.Model))
		arrivals = append(arrivals, r.arrived(s))
	}
	g := &grid{}
	g.add(selectors[0].Dimension(), false, names)
	g.add("arrived", false, joinCells(figures(arrivals, result.Count, len(r.docs))))
	for _, name := range breakdownMetrics {
		m := result.MustParseMetric(name)
		if !m.TakesSelector(selectors[0]) {
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
			g.add(m.Unit().Title(name), false, joinCells(figures(estimates, m.Unit(), len(r.docs))))
		}
	}
	return g
}
