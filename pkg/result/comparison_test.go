// SPDX-License-Identifier: Apache-2.0

package result

import (
	"encoding/json"
	"math"
	"testing"
)

func TestCompareRows(t *testing.T) {
	down, up := objective("ttft.p99", Minimize), objective("ttft.p99", Maximize)
	cases := map[string]struct {
		objective           Objective
		candidate, baseline []Row
		verdict             Effect
		n                   int
		relative            float64 // NaN: none
	}{
		"less is better where it is minimised": {
			down, makeRows(1, ttft99(1, 2, 3)...), makeRows(0, ttft99(2, 3, 4)...), Better, 3, -1. / 3,
		},
		"less is worse where it is maximised": {
			up, makeRows(1, ttft99(1, 2, 3)...), makeRows(0, ttft99(2, 3, 4)...), Worse, 3, -1. / 3,
		},
		"more is worse where it is minimised": {
			down, makeRows(1, ttft99(2.1, 3, 4)...), makeRows(0, ttft99(1, 2, 3)...), Worse, 3, 3.1 / 6,
		},
		"pairing by seed sees through what the seeds have in common": {
			down, makeRows(1, ttft99(0.99, 49.9, 990)...), makeRows(0, ttft99(1, 50, 1000)...), Undecided, 3, -10.11 / 1051,
		},
		"an interval around 0 is undecided": {
			down, makeRows(1, ttft99(1, 3)...), makeRows(0, ttft99(2, 2)...), Undecided, 2, 0,
		},
		"the same numbers are undecided": {
			down, makeRows(1, ttft99(2, 3)...), makeRows(0, ttft99(2, 3)...), Undecided, 2, 0,
		},
		"one seed decides nothing": {
			down, makeRows(1, ttft99(1)...), makeRows(0, ttft99(9)...), Undecided, 1, -8. / 9,
		},
		"only common seeds count": {
			down, makeRows(1, ttft99(9, 1, 2, 9)...)[1:], makeRows(0, ttft99(2, 2, 3)...), Better, 2, -0.4,
		},
		"only seeds with a value on both sides count": {
			down, makeRows(1, map[string]float64{"ttft.p99": 1}, nil, map[string]float64{"ttft.p99": 3}), makeRows(0, ttft99(2, 2, 2)...), Undecided, 2, 0,
		},
		"no common seed": {
			down, makeRows(1, ttft99(1, 1)...)[1:], makeRows(0, ttft99(2)...), Undecided, 0, math.NaN(),
		},
		"a share of nothing is no number": {
			down, makeRows(1, ttft99(1, 1.5)...), makeRows(0, ttft99(0, 0)...), Undecided, 2, math.NaN(),
		},
		"the baseline's size counts, not its sign": {
			up, makeRows(1, ttft99(-1, -2)...), makeRows(0, ttft99(-2, -3)...), Better, 2, 0.4,
		},
		"seeds that change nothing decide nothing": {
			down, makeRows(1, ttft99(1, 1, 1)...), makeRows(0, ttft99(2, 2, 2)...), Undecided, 3, -0.5,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := compareRows(tc.candidate, tc.baseline, tc.objective)
			if c.Verdict != tc.verdict || c.Difference.N != tc.n {
				t.Errorf("%s with n=%d, want %s with n=%d; difference %+v", c.Verdict, c.Difference.N, tc.verdict, tc.n, c.Difference)
			}
			switch {
			case (c.Relative == nil) != math.IsNaN(tc.relative):
				t.Errorf("relative difference %v, want %v", c.Relative, tc.relative)
			case c.Relative != nil && math.Abs(*c.Relative-tc.relative) > 1e-12:
				t.Errorf("relative difference %v, want %v", *c.Relative, tc.relative)
			}
		})
	}
}

func TestEstimateSaysOnlyWhatItKnows(t *testing.T) {
	cases := map[string]struct {
		estimate Estimate
		want     string
	}{
		"nothing":    {Estimate{}, `{"n":0}`},
		"one seed":   {Estimate{Mean: 0.5, Low: 0.5, High: 0.5, N: 1}, `{"mean":0.5,"n":1}`},
		"two seeds":  {Estimate{Mean: 2, Low: 1, High: 3, StdDev: 0.1, N: 2}, `{"mean":2,"low":1,"high":3,"stdDev":0.1,"n":2}`},
		"all zeroes": {Estimate{N: 3}, `{"mean":0,"low":0,"high":0,"stdDev":0,"n":3}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			raw, err := json.Marshal(tc.estimate)
			if err != nil || string(raw) != tc.want {
				t.Errorf("JSON %s, %v; want %s", raw, err, tc.want)
			}
			var got Estimate
			if err := json.Unmarshal(raw, &got); err != nil || got != tc.estimate {
				t.Errorf("read back %+v, %v; want %+v", got, err, tc.estimate)
			}
		})
	}
}
