// SPDX-License-Identifier: Apache-2.0

package page

import (
	"slices"
	"strconv"

	"windtunnel.dev/windtunnel/pkg/report"
)

// response is the table of a parameter: the best candidate at each of its values.
type response struct {
	Parameter, Objective string
	Rows                 []responseRow
}

type responseRow struct {
	Value      string
	Candidates int
	Best       string
}

// mostResponses is how many values a table of a parameter has at most. A continuous parameter has a
// value for each point.
const mostResponses = 50

// responses are the tables of the parameters by the first objective.
func responses(r *report.Sweep, d *SweepData) []response {
	first := r.Board.Objectives[0].Measure
	var all []response
	for at, p := range d.Parameters {
		if d.Evolution != nil && d.Evolution.Parameter == at {
			continue
		}
		table := response{Parameter: p.Name, Objective: first.Unit().Title(first.String())}
		rows := map[string]*responseRow{}
		var values []string
		for i := range r.Board.Candidates {
			c := &r.Board.Candidates[i] // the best come first
			value, ok := valueOf(c, p.Name)
			if !ok {
				continue
			}
			if rows[value] == nil {
				rows[value] = &responseRow{Value: value, Best: r.Estimate(c, first)}
				values = append(values, value)
			}
			rows[value].Candidates++
		}
		values = values[:min(len(values), mostResponses)]
		slices.SortFunc(values, compareValues)
		for _, value := range values {
			table.Rows = append(table.Rows, *rows[value])
		}
		all = append(all, table)
	}
	return all
}

// compareValues orders numbers by size, and others by their text.
func compareValues(a, b string) int {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	switch {
	case errX == nil && errY == nil && x < y:
		return -1
	case errX == nil && errY == nil && x > y:
		return 1
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
