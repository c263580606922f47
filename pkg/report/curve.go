// SPDX-License-Identifier: Apache-2.0

package report

import (
	"strings"

	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// loadVerdictText are the verdict in a table.
func loadVerdictText(v result.Feasibility) string {
	return map[result.Feasibility]string{result.LoadMet: "met", result.LoadNotMet: "not met", result.LoadUndecided: "undecided"}[v]
}

// curvesListed is for how many candidates a table has the loads that were tried.
const curvesListed = 3

// curve is what was tried of the first candidates, least load first; nil where no
// load was searched for.
func (l board) curve() *grid {
	var loads, rates, verdicts, names []string
	var tried []result.Tried
	load, factor := "", false
	for i := range l.Candidates[:min(curvesListed, len(l.Candidates))] {
		c := &l.Candidates[i]
		if c.Capacity == nil {
			continue
		}
		load = c.Capacity.Load
		factor = isFactor(c.Capacity)
		for _, t := range c.Capacity.Tried {
			loads, names = append(loads, t.Load), append(names, otherParameters(&c.Entry, load))
			rates = append(rates, strings.TrimSuffix(rateText(c.Capacity, t.Load), rateUnit))
			verdicts, tried = append(verdicts, loadVerdictText(t.Verdict)), append(tried, t)
		}
	}
	if len(tried) == 0 {
		return nil
	}
	g := &grid{}
	if strings.Join(names, "") != "" {
		g.add("candidate", false, names)
	}
	g.add(load, true, loads)
	if factor {
		g.add("requests/s", true, rates)
	}
	for _, m := range l.Measures() {
		var all []stats.Interval
		for i := range tried {
			all = append(all, tried[i].Metrics[m.String()])
		}
		g.add(m.Unit().Title(m.String()), false, joinCells(figures(all, m.Unit(), len(l.Seeds))))
	}
	g.add("constraints", false, verdicts)
	return g
}

// otherParameters are the candidate's parameters except one.
func otherParameters(c *result.Entry, name string) string {
	var parts []string
	for _, p := range c.Parameters {
		if p.Name != name {
			parts = append(parts, p.String())
		}
	}
	return strings.Join(parts, " ")
}
