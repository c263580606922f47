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
// and, from the end, where blocks are evicted, and joined where they are freed
// together again. A request thus costs as much as it has texts, and as these
// have been cut, not as it has blocks. The block-by-block cache of package kvtest
// behaves the same.
//
// Below GPU memory there may be tiers, each of them a Store: blocks of texts in
// any part, present or on their way, that are found, pinned while they are read,
// and evicted in an order of their own. What a cache has to do with tiers it
// says in spans: which blocks it evicted, and which a Spill keeps until they are
// copied. A hand-over fills a sequence that is withheld until it is published.
//
// The package knows nothing of requests, of routing or of the time that a copy
// takes. Start at Cache and Store.
package kv
