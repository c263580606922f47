// SPDX-License-Identifier: Apache-2.0

package kv

// Order is in what order blocks that nobody holds give up their content. Among
// equals it is always the least recently used, and of one prompt the last block
// first.
//
// In a Cache, a block that is released with others counts as used as often, and
// by requests of as high a priority, as any that comes after it in the text:
// copies of a block are counted each for itself, and nothing must be found that
// cannot be reached. Free blocks without content are reused before all others
// unless the order is LRU, where they have their place in it.
type Order int

const (
	// LRU goes by the last use alone, as vLLM does.
	LRU Order = iota
	// LFU goes by the number of uses first, the one that computed the block or
	// brought it among them: the fewest goes first.
	LFU
	// Priority goes by the highest priority of the requests that used the
	// block: the lowest goes first.
	Priority
)
