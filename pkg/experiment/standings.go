// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/search"
)

// Leaderboard ranks all points by the plan's objectives. A run's only point has
// none and ranks first.
func (s *Study) Leaderboard() (*result.Leaderboard, error) { return s.Top(0) }

// Top is a leaderboard that lists only so many of the best, and as many of the
// Pareto front, beside the baseline; with 0 all.
func (s *Study) Top(keep int) (*result.Leaderboard, error) {
	return result.NewLeaderboard(result.Standings{
		Candidates:  s.candidates(),
		Rows:        s.rows,
		Objectives:  s.asked.objectives,
		Constraints: s.asked.constraints,
		Shown:       s.asked.shown(),
		Baseline:    s.baseline,
		Seeds:       s.plan.Seeds,
		Keep:        keep,
	})
}

// candidates are the points, with what the search did to them.
func (s *Study) candidates() []result.Candidate {
	candidates := make([]result.Candidate, len(s.points))
	dropped := s.dropped()
	for i, point := range s.points {
		candidates[i] = result.Candidate{Point: point.ID, Dropped: dropped[point.ID]}
		for _, value := range point.existing() {
			candidates[i].Parameters = append(candidates[i].Parameters, result.Assignment{Name: value.Name, Value: value.Value})
		}
	}
	return candidates
}

// dropped are the points that the search gave some of the seeds, and then no
// more.
func (s *Study) dropped() map[int]*result.Drop {
	if s.plan.Search == nil || s.plan.Search.Racing == nil && s.plan.Search.Halving == nil {
		return nil
	}
	seeds := make(map[int]int, len(s.points))
	for i := range s.rows {
		if row := &s.rows[i]; row.Share == 1 && slices.Contains(s.plan.Seeds, row.Seed) {
			seeds[row.Point]++
		}
	}
	dropped := map[int]*result.Drop{}
	for point, n := range seeds {
		if n < len(s.plan.Seeds) {
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

// shown are all measures that are asked for.
func (a *asked) shown() []result.Measure {
	var shown []result.Measure
	for _, use := range a.uses {
		shown = append(shown, use.measure)
	}
	return shown
}
