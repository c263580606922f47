// SPDX-License-Identifier: Apache-2.0

package study

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/search"
)

// Leaderboard ranks all points by the plan's objectives. A run's only point has
// none and ranks first.
func (s *Study) Leaderboard() (*result.Leaderboard, error) { return s.Top(0) }

// Top is a leaderboard that lists a number of the best, as many of the
// Pareto front, and the baseline; with 0 all.
func (s *Study) Top(keep int) (*result.Leaderboard, error) {
	candidates, rows := s.candidates(), s.scored()
	if brackets, ok := search.As[interface{ Brackets() []search.Bracket }](s.algorithm); ok {
		var err error
		if candidates, rows, err = s.bracketed(candidates, brackets.Brackets()); err != nil {
			return nil, err
		}
	}
	return result.NewLeaderboard(result.LeaderboardInput{
		Candidates:  candidates,
		Rows:        rows,
		Objectives:  s.criteria.Objectives,
		Constraints: s.criteria.Constraints,
		Features:    s.criteria.Features,
		Shown:       shownMeasures(s.criteria),
		Workloads:   s.workloads(),

		WithoutRequestCost: s.withoutRequestCost(),
		Baseline:           s.baseline,
		Seeds:              s.Plan.Seeds,
		Keep:               keep,
	})
}

// withoutRequestCost names the pools of the scenario that state no cost of the way to the engine.
func (s *Study) withoutRequestCost() []string {
	var names []string
	pools, _ := s.Plan.Scenario["pools"].([]any)
	for _, p := range pools {
		if pool, ok := p.(experiment.Tree); ok && pool["requestCost"] == nil {
			names = append(names, fmt.Sprint(pool["name"]))
		}
	}
	return names
}

// workloads are the names of the plan's.
func (s *Study) workloads() []string {
	var names []string
	for _, w := range s.Plan.Workloads {
		names = append(names, w.Name)
	}
	return names
}

// candidates are the points, with what the search did to them.
func (s *Study) candidates() []result.Entry {
	candidates := make([]result.Entry, len(s.points))
	dropped := s.dropped()
	for i, point := range s.points {
		from, _ := s.origin(point.ID)
		candidates[i] = result.Entry{Point: point.ID, Parameters: point.Assignments(), Dropped: dropped[point.ID], Origin: from}
	}
	if archive, ok := search.As[interface{ Elites() []search.Elite }](s.algorithm); ok {
		for _, elite := range archive.Elites() {
			kind := make(result.Kind, len(elite.Cell))
			for i, bin := range elite.Cell {
				kind[i] = bin + 1
			}
			candidates[s.ids[strings.Join(elite.Trial.Point, separator)]].Elite = kind
		}
	}
	return candidates
}

// bracketed returns the candidates of a search for capacities: each combination
// of the other parameters at the demand, or without one at the highest load that
// holds, or where none does at the least one; and the rows of those.
func (s *Study) bracketed(candidates []result.Entry, brackets []search.Bracket) ([]result.Entry, []result.Row, error) {
	load := slices.IndexFunc(s.Plan.Parameters, func(p experiment.Parameter) bool { return p.Name == s.Plan.Search.Capacity.Load })
	chosen, byPoint := map[int]bool{}, s.rowsByPoint()
	var at []result.Entry
	for _, b := range brackets {
		point := slices.Clone(b.Point)
		point[load] = cmp.Or(b.Demand, b.Holds, b.Breaks)
		id, known := s.ids[strings.Join(point, separator)]
		if !known {
			continue // it never had its turn
		}
		tried, err := s.tried(b, load, byPoint)
		if err != nil {
			return nil, nil, err
		}
		candidate := candidates[id]
		candidate.Capacity = &result.Capacity{
			Load: s.Plan.Search.Capacity.Load, Holds: b.Holds, Breaks: b.Breaks, Undecided: b.Undecided, Open: b.Open, Against: b.Against, Tried: tried,
			RequestsPerSecond: s.Plan.LoadRate,
		}
		if candidate.Capacity.Demand, err = s.demand(&b, s.points[id]); err != nil {
			return nil, nil, err
		}
		at = append(at, candidate)
		chosen[id] = true
	}
	if s.baseline != NoBaseline && !chosen[s.baseline] {
		at = append(at, candidates[s.baseline])
		chosen[s.baseline] = true
	}
	rows := slices.DeleteFunc(slices.Clone(s.scored()), func(r result.Row) bool { return !chosen[r.Point] })
	return at, rows, nil
}

func (s *Study) rowsByPoint() map[int][]result.Row {
	rows := map[int][]result.Row{}
	for _, row := range s.scored() {
		rows[row.Point] = append(rows[row.Point], row)
	}
	return rows
}

// loadVerdicts are those of claims.
var loadVerdicts = map[search.Claim]result.Feasibility{search.Holds: result.LoadMet, search.Breaks: result.LoadNotMet, search.Undecided: result.LoadUndecided}

// tried are the loads of a bracket and what came of them. load is the index of
// their parameter.
func (s *Study) tried(b search.Bracket, load int, rows map[int][]result.Row) ([]result.Tried, error) {
	var all []result.Tried
	for _, t := range b.Tried {
		point := slices.Clone(b.Point)
		point[load] = t.Load
		tried, err := result.NewTried(t.Load, loadVerdicts[t.Claim], s.criteria.Objectives, s.criteria.Constraints, rows[s.ids[strings.Join(point, separator)]])
		if err != nil {
			return nil, err
		}
		all = append(all, tried)
	}
	return all, nil
}

// dropped are the points that the search gave some of the seeds, and then no
// more.
func (s *Study) dropped() map[int]*result.Drop {
	if s.Plan.Search == nil || s.Plan.Search.Racing == nil && s.Plan.Search.Halving == nil {
		return nil
	}
	seeds := make(map[int]int, len(s.points))
	for _, row := range s.scored() {
		if row.Share == 1 && slices.Contains(s.Plan.Seeds, row.Seed) {
			seeds[row.Point]++
		}
	}
	dropped := map[int]*result.Drop{}
	for point, n := range seeds {
		if n < len(s.Plan.Seeds) {
			dropped[point] = &result.Drop{}
		}
	}
	if racing, ok := search.As[interface{ Dropped() []search.Drop }](s.algorithm); ok {
		for _, drop := range racing.Dropped() {
			dropped[s.ids[strings.Join(drop.Point, separator)]] = &result.Drop{PValue: &drop.PValue}
		}
	}
	return dropped
}

// shownMeasures returns all measures that the criteria use.
func shownMeasures(a *experiment.Criteria) []result.Measure {
	var shown []result.Measure
	for _, use := range a.Uses {
		shown = append(shown, use.Measure)
	}
	return shown
}
