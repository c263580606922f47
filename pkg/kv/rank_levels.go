// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"cmp"
	"slices"
)

// rankLevels divides an eviction queue that is ordered by rank first and by age among
// equals. It knows the youngest record of each rank in use, lowest rank first. The
// queue itself, a list of records, belongs to the caller.
type rankLevels []rankLevel

type rankLevel struct {
	rank     int64
	youngest int32
}

func compareRanks(a, b rankLevel) int { return cmp.Compare(a.rank, b.rank) }

func (l rankLevels) search(rank int64) (int, bool) {
	// An LRU queue has a single level.
	if len(l) == 1 && l[0].rank == rank {
		return 0, true
	}
	return slices.BinarySearchFunc(l, rankLevel{rank: rank}, compareRanks)
}

// add makes a record the youngest of a rank and returns the record right before it in
// the queue; none for the front.
func (l *rankLevels) add(rank int64, at int32) (before int32) {
	i, found := l.search(rank)
	if found {
		before = (*l)[i].youngest
		(*l)[i].youngest = at
		return before
	}
	before = none
	if i > 0 {
		before = (*l)[i-1].youngest
	}
	*l = slices.Insert(*l, i, rankLevel{rank, at})
	return before
}

// remove forgets a record that leaves the queue. older is the record right before it
// in the queue if that has the same rank, and none otherwise.
func (l *rankLevels) remove(rank int64, at, older int32) {
	i, found := l.search(rank)
	switch {
	case !found:
		panic("kv: a rank in the queue has no level")
	case (*l)[i].youngest != at:
	case older != none:
		(*l)[i].youngest = older
	default:
		*l = slices.Delete(*l, i, i+1)
	}
}
