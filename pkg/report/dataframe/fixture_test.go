// SPDX-License-Identifier: Apache-2.0

package dataframe

import "windtunnel.dev/windtunnel/pkg/result"

// makeRows returns the rows of a point, one a value, under seeds from 42 on.
func makeRows(point int, values ...map[string]float64) []result.Row {
	var rows []result.Row
	for i, metrics := range values {
		rows = append(rows, result.Row{Key: "key", Point: point, Seed: int64(42 + i), Share: 1, Metrics: result.NewMetrics(metrics)})
	}
	return rows
}
