// SPDX-License-Identifier: Apache-2.0

package kv

// Order is the eviction order of blocks that no sequence holds. Among equals the least
// recently used block is evicted first, and of one prompt the last block.
//
// In a Cache, a block that is released with others counts as used as often, and by
// requests of as high a priority, as any block after it in the prompt. Copies of a
// block are counted separately, and a block must not outlive the prefix through which
// it is reached. Free blocks without content are reused before all others, except in
// LRU order, where they have a place by age.
type Order int

const (
	// LRU evicts the least recently used block, as vLLM does.
	LRU Order = iota
	// LFU evicts the block with the fewest uses. The request that computed or loaded
	// the block is its first use.
	LFU
	// Priority evicts the block whose highest request priority is lowest.
	Priority
)

// firstRank returns the rank of blocks after their first use, by a request of some
// priority. Blocks of a lower rank are evicted first.
func (o Order) firstRank(priority int) int64 {
	switch o {
	case LFU:
		return 1
	case Priority:
		return int64(priority)
	}
	return 0
}

// nextRank returns the rank of blocks after another use, by a request of some
// priority.
func (o Order) nextRank(rank int64, priority int) int64 {
	switch o {
	case LFU:
		return rank + 1
	case Priority:
		return max(rank, int64(priority))
	}
	return rank
}
