// SPDX-License-Identifier: Apache-2.0

package result

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Summary is one point over its seeds.
type Summary struct {
	Point int `json:"point"`
	// Seeds are those that have a row, ascending.
	Seeds []int64 `json:"seeds"`
	// Metrics holds, for each metric that some row has, the interval of its
	// mean; N is the number of rows that have it.
	Metrics Intervals `json:"metrics"`
}

// Summarize returns a summary of each point that has rows of full simulations,
// by point. Rows may come in any order; the same row may come twice. Two
// different rows of one simulation are an error.
func Summarize(rows []Row) ([]Summary, error) {
	sorted, err := sortRows(rows)
	if err != nil {
		return nil, err
	}
	var summaries []Summary
	for _, of := range cut(completed(sorted)) {
		summaries = append(summaries, summarize(of))
	}
	return summaries, nil
}

// summarize sums up the rows of one point.
func summarize(rows []Row) Summary {
	s := Summary{Point: rows[0].Point, Metrics: Intervals{}}
	values := map[string][]float64{}
	for _, row := range rows {
		s.Seeds = append(s.Seeds, row.Seed)
		for name, value := range row.Metrics.All() {
			values[name] = append(values[name], value)
		}
	}
	for name, xs := range values {
		s.Metrics[name] = stats.MeanInterval(xs, Confidence)
	}
	return s
}

// usual are metrics that a leaderboard speaks of, whatever it ranks by.
var usual = []Measure{
	Of(MustParseMetric("completionRate")), Of(MustParseMetric("rejectionRate")), Of(MustParseMetric("unfinishedRate")),
}

// figures are those of a leaderboard's measures over rows.
func (s *leaderboardBuilder) figures(rows []Row) Intervals {
	return intervals(slices.Concat(measuresOf(s.Objectives, s.Constraints), s.Shown, usual), rows)
}

// intervals are those of the means over rows; measures without values have none.
func intervals(measures []Measure, rows []Row) Intervals {
	all := Intervals{}
	for _, m := range measures {
		if values := m.Reader().values(rows); len(values) > 0 {
			all[m.String()] = stats.MeanInterval(values, Confidence)
		}
	}
	return all
}

// inOrder is sortRows for who does not change the rows: it returns sorted ones as they are.
func inOrder(rows []Row) ([]Row, error) {
	for i := range len(rows) - 1 {
		if CompareSimulations(rows[i], rows[i+1]) >= 0 {
			return sortRows(rows)
		}
	}
	return rows, nil
}

// sortRows returns the rows by point, share, seed and workload, each once.
func sortRows(rows []Row) ([]Row, error) {
	sorted := slices.Clone(rows)
	slices.SortFunc(sorted, CompareSimulations)
	once := sorted[:0]
	for _, row := range sorted {
		if len(once) == 0 || CompareSimulations(row, once[len(once)-1]) != 0 {
			once = append(once, row)
			continue
		}
		if !row.equal(&once[len(once)-1]) {
			return nil, fmt.Errorf("point %d has two different rows under seed %d", row.Point, row.Seed)
		}
	}
	return once, nil
}

// CompareSimulations orders rows by which simulation of a sweep they are of.
func CompareSimulations(a, b Row) int {
	return cmp.Or(cmp.Compare(a.Point, b.Point), cmp.Compare(a.Share, b.Share), cmp.Compare(a.Seed, b.Seed), cmp.Compare(a.Workload, b.Workload))
}

// equal reports whether two rows of one simulation say the same.
func (r *Row) equal(o *Row) bool {
	return r.Key == o.Key && r.Error == o.Error && maps.Equal(r.RejectedBy, o.RejectedBy) && r.Metrics.Equal(o.Metrics)
}

// completed returns the rows of full simulations that gave a result.
func completed(rows []Row) []Row {
	return slices.DeleteFunc(rows, func(r Row) bool { return r.Share != 1 || r.Failed() })
}

// cut cuts sorted rows into those of each point.
func cut(sorted []Row) [][]Row {
	var groups [][]Row
	for start := 0; start < len(sorted); {
		end := start
		for end < len(sorted) && sorted[end].Point == sorted[start].Point {
			end++
		}
		groups = append(groups, sorted[start:end])
		start = end
	}
	return groups
}
