// SPDX-License-Identifier: Apache-2.0

package result

import (
	"cmp"
	"slices"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Rung is one effort of a search that begins with little.
type Rung struct {
	// Share is that of a full simulation's requests.
	Share float64 `json:"share"`
	// Candidates is how many have results of it.
	Candidates int `json:"candidates"`
	// Correlation is Spearman's, in the first objective, between this rung and
	// the next for the Common candidates that have both: near 1 the short
	// simulations tell who is good in longer ones, near 0 they mislead. Absent
	// where it cannot be had.
	Correlation *float64 `json:"correlation,omitempty"`
	Common      int      `json:"common,omitempty"`
}

// rungs sums up shortened simulations; none without shortened simulations.
func (s *leaderboardBuilder) rungs() []Rung {
	losses := map[float64]map[int]float64{} // by share, then point
	shortened := false
	for i := range s.entries {
		e := &s.entries[i]
		shortened = shortened || len(e.short) > 0
		for _, of := range [][]Row{e.short, e.full} {
			for len(of) > 0 {
				share := of[0].Share
				end := slices.IndexFunc(of, func(r Row) bool { return r.Share != share })
				if end < 0 {
					end = len(of)
				}
				if losses[share] == nil {
					losses[share] = map[int]float64{}
				}
				if loss := s.losses(of[:end]); len(loss) > 0 {
					losses[share][e.candidate.Point] = loss[0]
				}
				of = of[end:]
			}
		}
	}
	if !shortened {
		return nil
	}
	var rungs []Rung
	for share, of := range losses {
		rungs = append(rungs, Rung{Share: share, Candidates: len(of)})
	}
	slices.SortFunc(rungs, func(a, b Rung) int { return cmp.Compare(a.Share, b.Share) })
	for i := range rungs[1:] {
		rungs[i].correlate(losses[rungs[i].Share], losses[rungs[i+1].Share])
	}
	return rungs
}

// correlate compares the losses of a rung with those of the next, by point.
func (r *Rung) correlate(here, next map[int]float64) {
	var points []int
	for point := range here {
		if _, both := next[point]; both {
			points = append(points, point)
		}
	}
	slices.Sort(points)
	var xs, ys []float64
	for _, point := range points {
		xs, ys = append(xs, here[point]), append(ys, next[point])
	}
	r.Common = len(points)
	if rho, ok := stats.Spearman(xs, ys); ok {
		r.Correlation = &rho
	}
}
