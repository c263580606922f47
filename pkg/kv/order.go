// SPDX-License-Identifier: Apache-2.0

package kv

// Order is in what order blocks that nobody holds give up their content. Among
// equals it is always the least recently used, and of one prompt the last block
// first.
type Order int

const (
	// LRU goes by the last use alone, as vLLM does.
	LRU Order = iota
	// LFU goes by the number of uses first: the fewest goes first.
	LFU
	// Priority goes by the highest priority of the requests that used the
	// block: the lowest goes first.
	Priority
)
