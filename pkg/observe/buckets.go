// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strconv"
)

// A bucket counts what is not above its bound.
type bucket struct{ upper, count float64 }

// Bucket is where a quantile lies: above Low, and not above High, which is nil in the last bucket.
type Bucket struct {
	Low  float64  `json:"low"`
	High *float64 `json:"high,omitempty"`
}

// bucketsOf returns what a histogram observed from one time to another, all of its series
// together.
func bucketsOf(series []*Series, from, to int64) []bucket {
	counts := map[float64]float64{}
	for _, s := range series {
		upper, err := strconv.ParseFloat(s.Labels[labelLE], 64)
		if err != nil || math.IsNaN(upper) {
			continue
		}
		if growth, ok := increase(s.Points, from, to); ok {
			counts[upper] += growth
		}
	}
	buckets := make([]bucket, 0, len(counts))
	for upper, count := range counts { // sorted below
		buckets = append(buckets, bucket{upper, count})
	}
	slices.SortFunc(buckets, func(a, b bucket) int { return cmp.Compare(a.upper, b.upper) })
	// Series of several engines are not scraped at one time, and their growth is an estimate:
	// counts may fall a little where they should not.
	for i := 1; i < len(buckets); i++ {
		buckets[i].count = max(buckets[i].count, buckets[i-1].count)
	}
	return buckets
}

// quantile estimates a quantile as histogram_quantile does: linear within a bucket, and the
// greatest finite bound where it lies beyond. It also returns the bucket, in which the true
// quantile lies wherever the values are in it. ok is false where nothing was observed, or where
// the bucket without a bound is missing.
func quantile(buckets []bucket, q float64) (value float64, in Bucket, ok bool) {
	last := len(buckets) - 1
	if last < 1 || !math.IsInf(buckets[last].upper, 1) || !(buckets[last].count > 0) {
		return 0, Bucket{}, false
	}
	rank := q * buckets[last].count
	at := sort.Search(last, func(i int) bool { return buckets[i].count >= rank })
	if at == last {
		return buckets[last-1].upper, Bucket{Low: buckets[last-1].upper}, true
	}
	low, below := 0.0, 0.0
	if at > 0 {
		low, below = buckets[at-1].upper, buckets[at-1].count
	}
	high := buckets[at].upper
	if inside := buckets[at].count - below; inside > 0 {
		return low + (high-low)*(rank-below)/inside, Bucket{low, &high}, true
	}
	return high, Bucket{low, &high}, true
}
