// SPDX-License-Identifier: Apache-2.0

// Package kv simulates the KV cache of one replica in blocks, like the block pool of
// vLLM V1. It does not know requests, routing or the time of a copy.
//
// Blocks of running sequences are reference-counted. Freed blocks keep their content in a
// queue, and the least recently used block is reused first. A new prompt takes the
// longest chain of its blocks that is still in the cache.
//
// A cache has no record of single blocks. It has a record of each segment: adjacent
// blocks of one text that the same sequences hold, or that were freed together.
// Segments are cut where prompts diverge, where a sequence takes a part of one, and, from
// the end, where blocks are evicted. They are joined where they are freed together again.
// So the cost of a request depends on its number of texts and cuts, and not on its number
// of blocks. The block-by-block cache of package kvtest behaves the same.
//
// Below GPU memory there may be tiers. Each tier is a Store of blocks, which finds, pins
// and evicts them in its own order; a block may still be in transfer. The cache
// describes its operations on tiers as spans: the blocks that it evicted, and the blocks
// that a Spill keeps until they are copied. A hand-over between replicas fills a sequence
// that others cannot see until it is published.
//
// Start at Cache and Store.
package kv
