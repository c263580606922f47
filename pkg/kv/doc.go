// SPDX-License-Identifier: Apache-2.0

// Package kv is one replica's KV cache in blocks, with the semantics of vLLM
// V1's block pool: blocks of running sequences are counted by reference, freed
// blocks keep their content and queue up to be reused, least recently used
// first, and a new prompt takes over the longest chain of blocks that is still
// there.
//
// A cache keeps no record of a block. It keeps one of a segment: neighbouring
// blocks of one text that the same sequences hold, or that were freed together.
// Segments are cut where prompts diverge, where a sequence takes over a part,
// and, one block at a time, where blocks are evicted. A request thus costs as
// much as it has texts, not as it has blocks; the block-by-block cache of
// package kvtest, which behaves the same, is there to show it.
//
// The package knows nothing of requests or of routing. Start at Cache.
package kv
