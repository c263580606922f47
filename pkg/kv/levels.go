// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"cmp"
	"slices"
)

// levels divides a queue that goes by a rank first and by age among equals: it
// knows the youngest of each rank that occurs, lowest rank first. The queue
// itself, a list of records, is its owner's.
type levels []level

type level struct {
	rank     int64
	youngest int32
}

func byRank(a, b level) int { return cmp.Compare(a.rank, b.rank) }

func (l levels) search(rank int64) (int, bool) {
	// Without ranks there is but one.
	if len(l) == 1 && l[0].rank == rank {
		return 0, true
	}
	return slices.BinarySearchFunc(l, level{rank: rank}, byRank)
}

// add makes a record the youngest of a rank and returns behind which one it
// stands in the queue; none for the front.
func (l *levels) add(rank int64, at int32) (behind int32) {
	i, found := l.search(rank)
	if found {
		behind = (*l)[i].youngest
		(*l)[i].youngest = at
		return behind
	}
	behind = none
	if i > 0 {
		behind = (*l)[i-1].youngest
	}
	*l = slices.Insert(*l, i, level{rank, at})
	return behind
}

// remove forgets a record that leaves the queue; older is the one right before
// it in the queue if that is of its rank, and none otherwise.
func (l *levels) remove(rank int64, at, older int32) {
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
