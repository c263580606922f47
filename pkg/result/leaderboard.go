// SPDX-License-Identifier: Apache-2.0

package result

import (
	"cmp"
	"fmt"
	"slices"

	"windtunnel.dev/windtunnel/pkg/simulator"
)

// LeaderboardSchemaVersion names the layout of a [Leaderboard].
const LeaderboardSchemaVersion = "windtunnel.dev/leaderboard/v1"

// NoBaseline is the baseline of a leaderboard that has none.
const NoBaseline = -1

// Assignment is a parameter's value.
type Assignment struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Candidate is a point that takes part.
type Candidate struct {
	Point      int          `json:"point"`
	Parameters []Assignment `json:"parameters,omitempty"`
}

// Leaderboard ranks candidates by what their simulations found.
type Leaderboard struct {
	SchemaVersion string `json:"schemaVersion"`
	EngineVersion string `json:"engineVersion"`
	// Confidence is the level of every interval.
	Confidence float64     `json:"confidence"`
	Objectives []Objective `json:"objectives"`
	// Seeds are all seeds that some candidate has a row of, ascending.
	Seeds []int64 `json:"seeds"`
	// Baseline is the point compared with; absent where there is none.
	Baseline *int `json:"baseline,omitempty"`
	// Candidates are in order of rank.
	Candidates []Ranked `json:"candidates"`
}

// Ranked is a candidate and its standing.
type Ranked struct {
	// Rank is the place, from 1. Candidates that are equal in all objectives
	// share one.
	Rank int `json:"rank"`
	Candidate
	// Baseline marks the candidate that the others are compared with.
	Baseline bool `json:"baseline,omitempty"`
	// Pareto says that no other complete candidate is at least as good in
	// all objectives and better in one, by the means.
	Pareto bool `json:"pareto"`
	// Incomplete says in words what is missing. Such candidates rank after
	// all others, by point.
	Incomplete string    `json:"incomplete,omitempty"`
	Metrics    Intervals `json:"metrics"`
	// VersusBaseline has one entry an objective; empty for the baseline.
	VersusBaseline []Comparison `json:"versusBaseline,omitempty"`
}

// NewLeaderboard ranks points by the mean of the first objective, ties by the
// following ones, then by point. Every point is expected to have a row under
// every seed that any point has one of. Rows may come in any order, and twice.
// baseline is a point, or NoBaseline. Rows of unknown points, contradicting
// rows, repeated points and unknown directions are errors.
func NewLeaderboard(points []Candidate, rows []Row, objectives []Objective, baseline int) (*Leaderboard, error) {
	sorted, err := sortRows(rows)
	if err != nil {
		return nil, fmt.Errorf("leaderboard: %w", err)
	}
	sorted = completed(sorted)
	s := standings{objectives: objectives, rows: map[int][]Row{}, seeds: seedsOf(sorted)}
	for _, o := range objectives {
		s.names = append(s.names, o.Measure.String())
	}
	for _, of := range byPoint(sorted) {
		s.rows[of[0].Point] = of
	}
	if err := s.check(points, baseline); err != nil {
		return nil, fmt.Errorf("leaderboard: %w", err)
	}
	l := &Leaderboard{
		SchemaVersion: LeaderboardSchemaVersion,
		EngineVersion: simulator.EngineVersion,
		Confidence:    Confidence,
		Objectives:    append([]Objective{}, objectives...),
		Seeds:         s.seeds,
		Candidates:    s.ranked(points, baseline),
	}
	if baseline != NoBaseline {
		l.Baseline = &baseline
	}
	return l, nil
}

// standings is what candidates are ranked from.
type standings struct {
	objectives []Objective
	names      []string      // of the objectives' metrics
	rows       map[int][]Row // by point, ascending by seed
	seeds      []int64
}

func seedsOf(rows []Row) []int64 {
	seeds := []int64{}
	for _, row := range rows {
		seeds = append(seeds, row.Seed)
	}
	slices.Sort(seeds)
	return slices.Compact(seeds)
}

func (s *standings) check(points []Candidate, baseline int) error {
	known := map[int]bool{}
	for _, p := range points {
		if known[p.Point] {
			return fmt.Errorf("point %d is there twice", p.Point)
		}
		known[p.Point] = true
	}
	if baseline != NoBaseline && !known[baseline] {
		return fmt.Errorf("the baseline is point %d, which is not there", baseline)
	}
	for _, o := range s.objectives {
		if err := o.check(); err != nil {
			return err
		}
	}
	var unknown []int
	for point := range s.rows {
		if !known[point] {
			unknown = append(unknown, point)
		}
	}
	if len(unknown) > 0 {
		return fmt.Errorf("there are rows of point %d, which is not there", slices.Min(unknown))
	}
	return nil
}

func (s *standings) ranked(points []Candidate, baseline int) []Ranked {
	ranked := make([]Ranked, 0, len(points))
	for _, p := range points {
		r := Ranked{
			Candidate:  p,
			Baseline:   p.Point == baseline,
			Incomplete: s.incomplete(p.Point),
			Metrics:    Intervals{},
		}
		if rows := s.rows[p.Point]; len(rows) > 0 {
			r.Metrics = summarize(rows).Metrics
		}
		if baseline != NoBaseline && !r.Baseline {
			for _, o := range s.objectives {
				r.VersusBaseline = append(r.VersusBaseline, compareRows(s.rows[p.Point], s.rows[baseline], o))
			}
		}
		ranked = append(ranked, r)
	}
	slices.SortFunc(ranked, s.compare)
	for i := range ranked {
		ranked[i].Rank = i + 1
		if i > 0 && s.tied(ranked[i-1], ranked[i]) {
			ranked[i].Rank = ranked[i-1].Rank
		}
	}
	s.markPareto(ranked)
	return ranked
}

// compare orders candidates by rank, and by point where they tie.
func (s *standings) compare(a, b Ranked) int {
	return cmp.Or(s.order(a, b), cmp.Compare(a.Point, b.Point))
}

// tied reports whether two candidates that were compared are equal.
func (s *standings) tied(a, b Ranked) bool {
	return len(s.objectives) > 0 && a.Incomplete == "" && b.Incomplete == "" && s.order(a, b) == 0
}

// order compares candidates by what their results say.
func (s *standings) order(a, b Ranked) int {
	switch {
	case a.Incomplete == "" && b.Incomplete != "":
		return -1
	case a.Incomplete != "" && b.Incomplete == "":
		return 1
	case a.Incomplete == "":
		for i, o := range s.objectives {
			name := s.names[i]
			if order := cmp.Compare(o.Loss(a.Metrics[name].Mean), o.Loss(b.Metrics[name].Mean)); order != 0 {
				return order
			}
		}
	}
	return 0
}

func (s *standings) markPareto(ranked []Ranked) {
	if len(s.objectives) == 0 {
		return
	}
	var costs [][]float64
	for i := range ranked {
		if ranked[i].Incomplete == "" {
			costs = append(costs, s.costs(&ranked[i]))
		}
	}
	// Complete candidates come first, so both count alike.
	for i, on := range pareto(costs) {
		ranked[i].Pareto = on
	}
}

// costs returns the objectives' means, turned so that less is better.
func (s *standings) costs(r *Ranked) []float64 {
	var costs []float64
	for i, o := range s.objectives {
		mean := r.Metrics[s.names[i]].Mean
		if o.Direction == Maximize {
			mean = -mean
		}
		costs = append(costs, mean)
	}
	return costs
}

// incomplete says what a point lacks to be ranked; nothing where it is whole.
func (s *standings) incomplete(point int) string {
	rows := s.rows[point]
	if len(rows) == 0 {
		return "no results"
	}
	if missing := without(s.seeds, seedsOf(rows)); len(missing) > 0 {
		return "no result under " + seedList(missing)
	}
	for _, name := range s.names {
		var missing []int64
		for _, row := range rows {
			if _, ok := row.Metrics.Get(name); !ok {
				missing = append(missing, row.Seed)
			}
		}
		if len(missing) > 0 {
			return fmt.Sprintf("nothing measured for %s under %s", name, seedList(missing))
		}
	}
	return ""
}

// without returns the members of all that are not in some; both ascending.
func without(all, some []int64) []int64 {
	var rest []int64
	for _, x := range all {
		if _, found := slices.BinarySearch(some, x); !found {
			rest = append(rest, x)
		}
	}
	return rest
}
