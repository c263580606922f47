// SPDX-License-Identifier: Apache-2.0

package kv

// segmentRanks is the ranks of a cache's segments by their numbers. In LRU order there
// are none.
type segmentRanks struct {
	order Order
	of    []int64
}

// set gives a segment its rank.
func (r *segmentRanks) set(at int32, rank int64) {
	if r.order == LRU {
		return
	}
	for int(at) >= len(r.of) {
		r.of = append(r.of, 0)
	}
	r.of[at] = rank
}

// copy gives a segment the rank of another.
func (r *segmentRanks) copy(at, from int32) {
	if r.order != LRU {
		r.set(at, r.of[from])
	}
}

// use gives a segment, which must not be in the free queue, the rank after another use.
func (r *segmentRanks) use(at int32, priority int) {
	if r.order != LRU {
		r.of[at] = r.order.nextRank(r.of[at], priority)
	}
}

// is reports whether a segment has a rank. In LRU order all ranks are equal.
func (r *segmentRanks) is(at int32, rank int64) bool { return r.order == LRU || r.of[at] == rank }
