// SPDX-License-Identifier: Apache-2.0

package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
)

func TestFigures(t *testing.T) {
	one := func(mean float64) stats.Interval { return stats.Interval{Mean: mean, Low: mean, High: mean, N: 1} }
	three := func(mean, half float64) stats.Interval {
		return stats.Interval{Mean: mean, Low: mean - half, High: mean + half, StdDev: half, N: 3}
	}
	cases := map[string]struct {
		unit  result.Unit
		in    []stats.Interval
		seeds int
		want  []string
	}{
		"seconds are read in ms, three digits of the smallest": {
			result.Seconds, []stats.Interval{three(0.1174, 0.0032), three(4.556, 0.1)}, 3, []string{" 117 ± 3  ", "4556 ± 100"},
		},
		"microseconds": {
			result.Seconds, []stats.Interval{one(0.0000123)}, 1, []string{"0.0123"},
		},
		"shares are read in %": {
			result.Share, []stats.Interval{three(0.9821, 0.004), three(1, 0)}, 3, []string{" 98.21 ± 0.40", "100.00 ± 0.00"},
		},
		"one seed has no margin": {
			result.Share, []stats.Interval{one(0.5)}, 1, []string{"50.00"},
		},
		"fewer seeds than there are": {
			result.Share, []stats.Interval{one(0.5), three(0.25, 0.125), {}}, 5, []string{"50.00 (n=1)        ", "25.00 ± 12.50 (n=3)", "    –              "},
		},
		"whole counts": {
			result.Count, []stats.Interval{one(12000), one(0), one(3)}, 1, []string{"12000", "    0", "    3"},
		},
		"counts with a fraction": {
			result.Count, []stats.Interval{three(12000, 1), three(250.5, 2)}, 3, []string{"12000 ± 1", "  250 ± 2"},
		},
		"an index": {
			result.Index, []stats.Interval{one(0.98765)}, 1, []string{"0.988"},
		},
		"nothing": {
			result.Seconds, []stats.Interval{{}}, 1, []string{"–"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, joinCells(figures(tc.in, tc.unit, tc.seeds))); diff != "" {
				t.Errorf("cells, −want +got:\n%s", diff)
			}
		})
	}
}
