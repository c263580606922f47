// SPDX-License-Identifier: Apache-2.0

package result

import (
	"math"
	"testing"
)

func TestRowsShareEqualMetrics(t *testing.T) {
	row := func(values map[string]float64) Row { return Row{Metrics: NewMetrics(values)} }
	rows := []Row{
		row(map[string]float64{"a": 1, "b": 0}),
		row(map[string]float64{"a": 1, "b": math.Copysign(0, -1)}),
		row(map[string]float64{"a": 1, "c": 0}),
		{},
		row(map[string]float64{"a": 1, "b": 0}),
		row(map[string]float64{"a": 1, "b": math.Copysign(0, -1)}),
		{},
	}
	var sharing Sharing
	for i := range rows {
		before := rows[i].Metrics
		sharing.Share(&rows[i])
		if after := rows[i].Metrics; !after.Equal(before) || after.Len() > 1 && math.Signbit(after.values[1]) != math.Signbit(before.values[1]) {
			t.Errorf("row %d has %v, and had %v", i, after, before)
		}
	}
	for _, same := range [][2]int{{0, 4}, {1, 5}} {
		if a, b := rows[same[0]].Metrics, rows[same[1]].Metrics; &a.values[0] != &b.values[0] {
			t.Errorf("rows %v do not share their metrics", same)
		}
	}
}
