// SPDX-License-Identifier: Apache-2.0

package report

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// A table of 9 seeds and a gate of 6 of them have two figures, which needs a sentence; the same
// seeds, one seed, and gates of other points need none.
func TestSeedsOfGates(t *testing.T) {
	ttft := result.Of(result.MustParseMetric("ttft.p99"))
	best := &result.Ranked{Metrics: result.Intervals{"ttft.p99": stats.Interval{N: 9}}}
	gate := func(n int, point string) result.GateResult {
		return result.GateResult{Gate: result.Gate{Name: "fast", Measure: ttft}, N: n, Point: point}
	}
	const confirmed = "Gates judge the best point by the 6 seeds that confirmed it, because the search chose it by the others; tables have the figures of all 9"
	for name, tc := range map[string]struct {
		gates []result.GateResult
		want  string
	}{
		"no gates":           {nil, ""},
		"all seeds":          {[]result.GateResult{gate(9, "")}, ""},
		"seeds that confirm": {[]result.GateResult{gate(9, ""), gate(6, "")}, confirmed},
		"another point":      {[]result.GateResult{gate(6, "weight=3")}, ""},
		"one seed":           {[]result.GateResult{gate(1, "")}, ""},
		"another metric":     {[]result.GateResult{{Gate: result.Gate{Measure: result.Of(result.MustParseMetric("goodput"))}, N: 6}}, ""},
	} {
		if got := SeedsOfGates(tc.gates, best); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
