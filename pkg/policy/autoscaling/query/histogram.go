// SPDX-License-Identifier: Apache-2.0

package query

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strconv"
)

// histogramQuantile is histogram_quantile.
type histogramQuantile struct {
	q       scalarNode
	of      vectorNode
	groups  *projection
	seen    []*labels
	buckets [][]bucket
	out     []element
}

// bucket counts what is not above its bound.
type bucket struct{ upper, count float64 }

func (n *histogramQuantile) vector(x *evaluation) []element {
	q := n.q.scalar(x)
	n.seen, n.out = n.seen[:0], n.out[:0]
	for _, e := range n.of.vector(x) {
		if upper, err := strconv.ParseFloat(e.labels[le], 64); err == nil {
			n.add(n.groups.of(e.labels), bucket{upper, e.value})
		}
	}
	for i, group := range n.seen {
		n.out = append(n.out, element{group, quantileOfBuckets(q, n.buckets[i])})
	}
	return n.out
}

func (n *histogramQuantile) add(group *labels, b bucket) {
	at := len(n.seen) - 1
	for at >= 0 && n.seen[at] != group {
		at--
	}
	if at < 0 {
		at = len(n.seen)
		n.seen = append(n.seen, group)
		if at == len(n.buckets) {
			n.buckets = append(n.buckets, nil)
		}
		n.buckets[at] = n.buckets[at][:0]
	}
	n.buckets[at] = append(n.buckets[at], b)
}

// quantileOfBuckets estimates a quantile: linear within a bucket, and the greatest finite bound
// where it lies beyond.
func quantileOfBuckets(q float64, all []bucket) float64 {
	slices.SortStableFunc(all, func(a, b bucket) int { return cmp.Compare(a.upper, b.upper) })
	last := len(all) - 1
	switch {
	case math.IsNaN(q):
		return math.NaN()
	case q < 0:
		return math.Inf(-1)
	case q > 1:
		return math.Inf(1)
	case !math.IsInf(all[last].upper, 1) || last < 1 || all[last].count == 0:
		return math.NaN()
	}
	for i := 1; i <= last; i++ {
		all[i].count = max(all[i].count, all[i-1].count)
	}
	rank := float64(q * all[last].count)
	at := sort.Search(last, func(i int) bool { return all[i].count >= rank })
	switch at {
	case last:
		return all[last-1].upper
	case 0:
		return float64(all[0].upper * (rank / all[0].count))
	}
	below := all[at-1]
	return below.upper + float64((all[at].upper-below.upper)*((rank-below.count)/(all[at].count-below.count)))
}
