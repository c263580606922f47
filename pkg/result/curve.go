// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Tried is a load that was simulated, and what came of it.
type Tried struct {
	Load string `json:"load"`
	// Verdict is what the search decided by: the means may keep to the constraints
	// where the seeds do not show it.
	Verdict LoadVerdict `json:"verdict"`
	// Metrics are the figures of objectives and constraints.
	Metrics Intervals `json:"metrics"`
}

// LoadVerdict says whether the constraints hold at a load.
type LoadVerdict string

// The verdicts on a load.
const (
	LoadMet       LoadVerdict = "Met"
	LoadNotMet    LoadVerdict = "NotMet"
	LoadUndecided LoadVerdict = "Undecided"
)

// words are the verdict in a table.
func (v LoadVerdict) words() string {
	return map[LoadVerdict]string{LoadMet: "met", LoadNotMet: "not met", LoadUndecided: "undecided"}[v]
}

// NewTried takes the figures of a load from the rows of its point, in any order.
func NewTried(load string, verdict LoadVerdict, objectives []Objective, constraints []Constraint, rows []Row) (Tried, error) {
	sorted, err := sortRows(rows)
	if err != nil {
		return Tried{}, fmt.Errorf("load %s: %w", load, err)
	}
	sorted = slices.DeleteFunc(sorted, func(r Row) bool { return r.Failed() || r.Share != 1 })
	return Tried{Load: load, Verdict: verdict, Metrics: intervals(ranked(objectives, constraints), sorted)}, nil
}

// ranked are the measures of objectives and constraints, each once.
func ranked(objectives []Objective, constraints []Constraint) []Measure {
	var measures []Measure
	add := func(m Measure) {
		if !slices.Contains(measures, m) {
			measures = append(measures, m)
		}
	}
	for _, o := range objectives {
		add(o.Measure)
	}
	for _, c := range constraints {
		add(c.Measure)
	}
	return measures
}

// curvesListed is for how many candidates a table has the loads that were tried.
const curvesListed = 3

// curve is what was tried of the first candidates, least load first; nil where no
// load was searched for.
func (l *Leaderboard) curve() *grid {
	var loads, verdicts, names []string
	var tried []Tried
	load := ""
	for i := range l.Candidates[:min(curvesListed, len(l.Candidates))] {
		c := &l.Candidates[i]
		if c.Capacity == nil {
			continue
		}
		load = c.Capacity.Load
		for _, t := range c.Capacity.Tried {
			loads, names = append(loads, t.Load), append(names, c.others(load))
			verdicts, tried = append(verdicts, t.Verdict.words()), append(tried, t)
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
	for _, m := range ranked(l.Objectives, l.Constraints) {
		var all []stats.Interval
		for i := range tried {
			all = append(all, tried[i].Metrics[m.String()])
		}
		g.add(title(m.String(), m.Unit()), false, beside(figures(all, m.Unit(), len(l.Seeds))))
	}
	g.add("constraints", false, verdicts)
	return g
}

// others are the candidate's parameters beside one.
func (c *Candidate) others(name string) string {
	var parts []string
	for _, p := range c.Parameters {
		if p.Name != name {
			parts = append(parts, p.String())
		}
	}
	return strings.Join(parts, " ")
}
