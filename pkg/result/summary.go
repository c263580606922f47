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

// Summarize returns a summary of each point that has rows, by point. Rows may
// come in any order; the same row may come twice. Two different rows of one
// point and seed are an error.
func Summarize(rows []Row) ([]Summary, error) {
	sorted, err := sortRows(rows)
	if err != nil {
		return nil, err
	}
	var summaries []Summary
	for _, of := range byPoint(sorted) {
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
		for name, value := range row.Metrics {
			values[name] = append(values[name], value)
		}
	}
	for name, xs := range values {
		s.Metrics[name] = stats.MeanInterval(xs, Confidence)
	}
	return s
}

// sortRows returns the rows by point and seed, each once.
func sortRows(rows []Row) ([]Row, error) {
	sorted := slices.Clone(rows)
	slices.SortFunc(sorted, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Point, b.Point), cmp.Compare(a.Seed, b.Seed))
	})
	var once []Row
	for i, row := range sorted {
		if i == 0 || row.Point != sorted[i-1].Point || row.Seed != sorted[i-1].Seed {
			once = append(once, row)
			continue
		}
		if last := once[len(once)-1]; row.Key != last.Key || !maps.Equal(row.Metrics, last.Metrics) {
			return nil, fmt.Errorf("point %d has two different rows under seed %d", row.Point, row.Seed)
		}
	}
	return once, nil
}

// byPoint cuts sorted rows into those of each point.
func byPoint(sorted []Row) [][]Row {
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
