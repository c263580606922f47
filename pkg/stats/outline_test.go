// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// randomValues spread over a few octaves, or over many.
func randomValues(r *rand.Rand, n int) []int64 {
	values := make([]int64, n)
	from, octaves := r.IntN(40), 1+r.IntN(22)
	for i := range values {
		values[i] = r.Int64N(1 << (from + r.IntN(octaves) + 1))
	}
	return values
}

func histogramOf(values ...[]int64) *Histogram {
	h := &Histogram{}
	for _, some := range values {
		for _, v := range some {
			h.Record(v)
		}
	}
	return h
}

func TestOutlinesHoldEachValueInItsBucket(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		values := randomValues(r, r.IntN(2000))
		o := histogramOf(values).Outline(100)
		if len(o.Lows) > 100 || o.Count() != int64(len(values)) {
			t.Fatalf("%d buckets hold %d of %d values", len(o.Lows), o.Count(), len(values))
		}
		for i := range o.Lows {
			n := int64(0)
			for _, v := range values {
				if v >= o.Lows[i] && v < o.Above(i) {
					n++
				}
			}
			if n != o.Counts[i] || i > 0 && o.Above(i-1) > o.Lows[i] {
				t.Fatalf("bucket %d from %d to %d counts %d of %d", i, o.Lows[i], o.Above(i), o.Counts[i], n)
			}
		}
	}
}

func TestOutlinesMergeInAnyOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const points = 80
	for range 300 {
		a, b, c := randomValues(r, r.IntN(500)), randomValues(r, r.IntN(500)), randomValues(r, r.IntN(500))
		outline := func(values []int64) Outline { return histogramOf(values).Outline(points) }
		want := histogramOf(a, b, c).Outline(points)
		for name, got := range map[string]Outline{
			"(a b) c": outline(a).Merge(outline(b), points).Merge(outline(c), points),
			"c (b a)": outline(c).Merge(outline(b).Merge(outline(a), points), points),
			"(c a) b": outline(c).Merge(outline(a), points).Merge(outline(b), points),
		} {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s (−want +got):\n%s", name, diff)
			}
		}
	}
}
