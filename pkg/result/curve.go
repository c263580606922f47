// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"slices"
)

// Tried is a load that was simulated, and what came of it.
type Tried struct {
	Load string `json:"load"`
	// Verdict is what the search decided by: the means may keep to the constraints
	// where the seeds do not show it.
	Verdict Feasibility `json:"verdict"`
	// Metrics are the figures of objectives and constraints.
	Metrics Intervals `json:"metrics"`
}

// Feasibility says whether the constraints hold at a load.
type Feasibility string

// The verdicts on a load.
const (
	LoadMet       Feasibility = "Met"
	LoadNotMet    Feasibility = "NotMet"
	LoadUndecided Feasibility = "Undecided"
)

// NewTried takes the figures of a load from the rows of its point, in any order.
func NewTried(load string, verdict Feasibility, objectives []Objective, constraints []Constraint, rows []Row) (Tried, error) {
	sorted, err := sortRows(rows)
	if err != nil {
		return Tried{}, fmt.Errorf("load %s: %w", load, err)
	}
	sorted = slices.DeleteFunc(sorted, func(r Row) bool { return r.Failed() || r.Share != 1 })
	return Tried{Load: load, Verdict: verdict, Metrics: intervals(measuresOf(objectives, constraints), sorted)}, nil
}

// measuresOf are the measures of objectives and constraints, each once.
func measuresOf(objectives []Objective, constraints []Constraint) []Measure {
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
