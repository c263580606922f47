// SPDX-License-Identifier: Apache-2.0

package result

import (
	"slices"
	"testing"
)

func TestComparisonsPutFirstWhatUsersFeel(t *testing.T) {
	side := func(at float64) []Row {
		var metrics []map[string]float64
		for i := range 4 {
			noise := float64(i) * 1e-3
			metrics = append(metrics, map[string]float64{"ttft.p99": 1 + at + noise*(1+at), "utilization": 0.9 - at + noise, "kvUsage.mean": 0.5 - at, "goodput": 0.5 + noise*at})
		}
		return makeRows(0, metrics...)
	}
	c, err := NewContrast([2]string{"old", "new"}, side(0), side(0.25), nil)
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, d := range c.Differing {
		order = append(order, d.Measure.String())
		if d.Measure.String() == "utilization" && d.Verdict != Differs {
			t.Errorf("lower utilization is %s", d.Verdict)
		}
	}
	if len(order) != 4 || !slices.Contains(order[:2], "ttft.p99") || !slices.Contains(order[:2], "goodput") {
		t.Errorf("order %v, want ttft.p99 and goodput first", order)
	}
}
