// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"math"
	"testing"
)

// counter has a point each 10 s from a time on.
func counter(from int64, values ...float64) []Sample {
	var points []Sample
	for i, v := range values {
		points = append(points, Sample{from + int64(i)*10_000, v})
	}
	return points
}

func TestIncrease(t *testing.T) {
	for name, tc := range map[string]struct {
		points []Sample
		want   float64
		ok     bool
	}{
		"a counter that is scraped at both bounds":               {counter(0, 5, 10, 15, 20, 25, 30, 35), 30, true},
		"points outside of the window do not count":              {counter(-20_000, 0, 0, 5, 10, 15, 20, 25, 30, 35, 99), 30, true},
		"after a reset it began at 0":                            {counter(0, 5, 10, 15, 3, 8, 13, 18), 10 + 18, true},
		"a reset to the same value is none":                      {counter(0, 5, 10, 10, 10, 10, 10, 10), 5, true},
		"two resets":                                             {counter(0, 5, 10, 2, 6, 1, 1, 4), 5 + 2 + 4 + 1 + 3, true},
		"an engine that starts counts from half a scrape before": {counter(30_000, 40, 50, 60, 70), 30 + 5, true},
		"but not from below 0":                                   {counter(30_000, 2, 12, 22, 32), 30 + 2, true},
		"an engine that ends counts for half a scrape more":      {counter(0, 0, 10, 20), 20 + 5, true},
		"scrapes that are a little off the bounds reach them":    {counter(4_000, 10, 20, 30, 40, 50, 60), 60, true},
		"one point shows no growth":                              {counter(10_000, 5), 0, false},
		"no point does not either":                               {nil, 0, false},
	} {
		got, ok := increase(tc.points, 0, 60_000)
		if ok != tc.ok || math.Abs(got-tc.want) > 1e-9 {
			t.Errorf("%s: %v, %v; want %v, %v", name, got, ok, tc.want, tc.ok)
		}
	}
}

func TestQuantilesOfBuckets(t *testing.T) {
	inf := math.Inf(1)
	buckets := []bucket{{0.1, 10}, {0.2, 30}, {0.5, 40}, {inf, 40}}
	for name, tc := range map[string]struct {
		buckets []bucket
		q, want float64
		low     float64
		high    float64
		ok      bool
	}{
		"in the first bucket, from 0 on":      {buckets, 0.125, 0.05, 0, 0.1, true},
		"linear within a bucket":              {buckets, 0.5, 0.15, 0.1, 0.2, true},
		"at a bound":                          {buckets, 0.75, 0.2, 0.1, 0.2, true},
		"beyond the bounds is the last bound": {[]bucket{{0.1, 1}, {inf, 10}}, 0.9, 0.1, 0.1, inf, true},
		"without the last bucket":             {buckets[:3], 0.5, 0, 0, 0, false},
		"without values":                      {[]bucket{{0.1, 0}, {inf, 0}}, 0.5, 0, 0, 0, false},
		"without buckets":                     {nil, 0.5, 0, 0, 0, false},
	} {
		got, in, ok := quantile(tc.buckets, tc.q)
		high := inf
		if in.High != nil {
			high = *in.High
		}
		if ok != tc.ok || math.Abs(got-tc.want) > 1e-12 || ok && (in.Low != tc.low || high != tc.high) {
			t.Errorf("%s: %v in %v to %v, %v", name, got, in.Low, high, ok)
		}
	}
}
