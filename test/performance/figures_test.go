// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
)

func TestFiguresOutOfRangeAreErrors(t *testing.T) {
	var out strings.Builder
	err := report(&out, []figure{
		{"burst.writes", "a run", "within the margin", 8.7},
		{"burst.failures", "a run", "none is allowed", 0.1},
		{"burst.memory", "MiB", "above the limit", 129},
		{"burst.jobs", "s", "has no range", 1e9},
	}, "ranges.yaml")
	if err == nil || !strings.Contains(err.Error(), "burst.failures") || !strings.Contains(err.Error(), "burst.memory") || strings.Contains(err.Error(), "burst.writes") {
		t.Errorf("got %v", err)
	}
	if strings.Count(out.String(), "\n") != 5 {
		t.Errorf("printed:\n%s", out.String())
	}
}

func TestCountsOfTheManagersMetrics(t *testing.T) {
	got, err := parseCounts(strings.NewReader(`# HELP
controller_runtime_reconcile_total{controller="a",result="success"} 3
controller_runtime_reconcile_total{controller="a",result="error"} 1
rest_client_requests_total{code="200",host="h",method="GET"} 9
rest_client_requests_total{code="201",host="h",method="POST"} 4
`))
	if err != nil || got != (counts{reconciles: 4, failures: 1, writes: 4}) {
		t.Errorf("got %+v, %v", got, err)
	}
}
