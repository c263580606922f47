// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/paniccheck"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// exactQuantile is the oracle: linear interpolation in the sorted values.
func exactQuantile(sorted []int64, q float64) float64 {
	position := q * float64(len(sorted)-1)
	low := int(math.Floor(position))
	high := min(low+1, len(sorted)-1)
	share := position - math.Floor(position)
	return float64(sorted[low])*(1-share) + float64(sorted[high])*share
}

var quantiles = []float64{0, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1}

// logUniform draws n values of up to so many bits, every octave alike.
func logUniform(n, bits int, seed uint64) []int64 {
	r := rand.New(rand.NewPCG(seed, 0))
	values := make([]int64, n)
	for i := range values {
		values[i] = r.Int64() >> (63 - r.IntN(bits+1))
	}
	return values
}

func recorded(values []int64) *stats.Histogram {
	h := &stats.Histogram{}
	for _, v := range values {
		h.Record(v)
	}
	return h
}

func TestQuantilesAgreeWithTheSortedValues(t *testing.T) {
	tests := map[string]struct {
		values   []int64
		relative float64 // the error allowed
	}{
		"one value":                      {[]int64{123_456_789}, 0},
		"equal values":                   {slices.Repeat([]int64{123_456_789}, 100), 0},
		"two values":                     {[]int64{5_000_000, 9_000_000_000}, 1e-15},
		"every value below 1024":         {logUniform(5000, 10, 1), 1e-15},
		"latencies in nanoseconds":       {logUniform(5000, 36, 2), 0x1p-9},
		"values of every size":           {logUniform(20_000, 63, 3), 0x1p-9},
		"a few values of every size":     {logUniform(7, 63, 4), 0x1p-9},
		"largest and smallest":           {[]int64{0, math.MaxInt64}, 1e-15},
		"neighbours of powers of two":    {powersAndNeighbours(), 0x1p-9},
		"many values in a single bucket": {[]int64{1 << 40, 1<<40 + 1, 1<<40 + 1<<20, 1<<40 + 1<<30, 1<<40 + 1<<31 - 1}, 0x1p-9},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			h := recorded(tc.values)
			sorted := slices.Sorted(slices.Values(tc.values))
			for _, q := range quantiles {
				got, want := h.Quantile(q), exactQuantile(sorted, q)
				if math.Abs(got-want) > tc.relative*want {
					t.Errorf("quantile %v is %v, want %v ± %v", q, got, want, tc.relative*want)
				}
			}
			if h.Quantile(0) != float64(sorted[0]) || h.Quantile(1) != float64(sorted[len(sorted)-1]) {
				t.Errorf("extremes %v and %v, want %v and %v", h.Quantile(0), h.Quantile(1), sorted[0], sorted[len(sorted)-1])
			}
		})
	}
}

func powersAndNeighbours() []int64 {
	var values []int64
	for shift := range 63 {
		values = append(values, 1<<shift-1, 1<<shift, 1<<shift+1)
	}
	return append(values, math.MaxInt64)
}

func TestQuantilesNeverDecrease(t *testing.T) {
	h := recorded(logUniform(500, 40, 5))
	last := h.Quantile(0)
	for i := 1; i <= 10_000; i++ {
		next := h.Quantile(float64(i) / 10_000)
		if next < last {
			t.Fatalf("quantile %v is %v, after %v", float64(i)/10_000, next, last)
		}
		last = next
	}
}

func TestCountsAndSumsAreExact(t *testing.T) {
	tests := map[string][]int64{
		"no values":            nil,
		"zeros":                {0, 0, 0},
		"latencies":            logUniform(5000, 36, 6),
		"a sum beyond 64 bits": slices.Repeat([]int64{math.MaxInt64}, 1001),
	}
	for name, values := range tests {
		t.Run(name, func(t *testing.T) {
			h := recorded(values)
			sum := new(big.Int)
			for _, v := range values {
				sum.Add(sum, big.NewInt(v))
			}
			high, low := h.Sum()
			got := new(big.Int).SetUint64(high)
			got.Lsh(got, 64).Add(got, new(big.Int).SetUint64(low))
			if h.Count() != int64(len(values)) || got.Cmp(sum) != 0 {
				t.Errorf("count %d, sum %v, want %d and %v", h.Count(), got, len(values), sum)
			}
			if len(values) == 0 {
				if h.Mean() != 0 || h.Min() != 0 || h.Max() != 0 || h.Quantile(0.5) != 0 {
					t.Errorf("empty histogram has mean %v, min %v, max %v, median %v", h.Mean(), h.Min(), h.Max(), h.Quantile(0.5))
				}
				return
			}
			mean, _ := new(big.Rat).SetFrac(sum, big.NewInt(int64(len(values)))).Float64()
			if math.Abs(h.Mean()-mean) > 1e-15*mean {
				t.Errorf("mean %v, want %v", h.Mean(), mean)
			}
			if h.Min() != slices.Min(values) || h.Max() != slices.Max(values) {
				t.Errorf("extremes %d and %d, want %d and %d", h.Min(), h.Max(), slices.Min(values), slices.Max(values))
			}
		})
	}
}

func TestRecordNIsRecordNTimes(t *testing.T) {
	var once, repeated stats.Histogram
	for _, v := range []int64{3, 1 << 20, math.MaxInt64} {
		once.RecordN(v, 1000)
		once.RecordN(v/2, 0)
		for range 1000 {
			repeated.Record(v)
		}
	}
	if !reflect.DeepEqual(once, repeated) {
		t.Error("histograms differ")
	}
}

func TestTheOrderOfRecordingAndMergingLeavesNoTrace(t *testing.T) {
	values := logUniform(4000, 40, 7)
	want := recorded(values)
	for seed := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, 1))
		r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		// Parts of random sizes, one of them empty, merged pairwise at random.
		parts := []*stats.Histogram{{}}
		for rest := values; len(rest) > 0; {
			n := 1 + r.IntN(len(rest))
			parts = append(parts, recorded(rest[:n]))
			rest = rest[n:]
		}
		for len(parts) > 1 {
			r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
			last := len(parts) - 1
			before := parts[last].Count()
			parts[0].Merge(parts[last])
			if parts[last].Count() != before {
				t.Fatal("Merge changed its argument")
			}
			parts = parts[:last]
		}
		if !reflect.DeepEqual(want, parts[0]) {
			t.Errorf("seed %d: the merged histogram differs from the one recorded in order", seed)
		}
	}
}

func TestMergingWithItselfDoubles(t *testing.T) {
	h := recorded([]int64{5, 7_000_000})
	h.Merge(h)
	if h.Count() != 4 || h.Mean() != 3_500_002.5 || h.Quantile(1) != 7_000_000 {
		t.Errorf("count %d, mean %v, max %v", h.Count(), h.Mean(), h.Quantile(1))
	}
}

func TestImpossibleHistogramCallsPanic(t *testing.T) {
	tests := map[string]func(*stats.Histogram){
		"negative value":           func(h *stats.Histogram) { h.Record(-1) },
		"negative number of times": func(h *stats.Histogram) { h.RecordN(1, -1) },
		"more than int64 values":   func(h *stats.Histogram) { h.RecordN(1, math.MaxInt64); h.Record(1) },
		"quantile above one":       func(h *stats.Histogram) { h.Quantile(1.01) },
		"quantile below zero":      func(h *stats.Histogram) { h.Quantile(-0.01) },
		"quantile not a number":    func(h *stats.Histogram) { h.Quantile(math.NaN()) },
	}
	for name, call := range tests {
		t.Run(name, func(t *testing.T) {
			defer paniccheck.Want(t, "did not panic")
			call(&stats.Histogram{})
		})
	}
}

func ExampleHistogram() {
	var ttft stats.Histogram
	for i := range int64(1000) {
		ttft.Record((i + 1) * 1_000_000) // 1 ms, 2 ms, … 1 s
	}
	fmt.Printf("%d requests, mean %.1f ms, p99 %.0f ms\n", ttft.Count(), ttft.Mean()/1e6, ttft.Quantile(0.99)/1e6)
	// Output: 1000 requests, mean 500.5 ms, p99 990 ms
}

func TestARecycledBlockIsEmpty(t *testing.T) {
	for range 100 { // a pool may keep nothing
		var h stats.Histogram
		h.Record(7)
		h.Record(1 << 40)
		h.Recycle()
		if h.Count() != 0 || h.Max() != 0 {
			t.Fatalf("a recycled histogram has %d values", h.Count())
		}
		h.Record(8)
		if got := h.Quantile(0); got != 8 {
			t.Fatalf("the least value is %v, want 8", got)
		}
		var sum stats.Histogram
		sum.Merge(&h)
		if got := sum.Quantile(1); sum.Count() != 1 || got != 8 {
			t.Fatalf("%d values up to %v, want 1 up to 8", sum.Count(), got)
		}
	}
}
