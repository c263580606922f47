// SPDX-License-Identifier: Apache-2.0

// Package kv is one replica's KV cache in blocks, with the semantics of vLLM V1's block
// pool, and the tiers below it. Blocks of running sequences are counted by reference,
// freed blocks keep their content and queue up to be reused, and a new prompt reuses the
// longest prefix that is cached. The package does not know requests, routing or the
// duration of a copy. Start at Cache and Tier.
//
// # Words
//
//	block    the KV of blockTokens tokens; full blocks have an identity
//	chain    the full blocks of a prompt and its answer, as stretches (package prompt)
//	segment  neighbouring blocks of one stretch with the same holders or the same history
//	register make a full block of a sequence findable under its identity
//	blank    free and without content
//	span     neighbouring blocks of one stretch, as Cache and Tier exchange them
//	anonymous with content that cannot be found, since no other sequence asks for it
//	claim    the right of a sequence in decode to register its blocks late
//
// # Types
//
//	Cache        cache.go, check.go: the calls
//	prefixMatch  prefix_match.go: the look-up before an admission
//	sequences    sequences.go, registration.go, decode.go, discard.go: what runs
//	decodes      decodes.go: which sequences take or fill a block in which step
//	blockPool    block_pool.go: who has which blocks; eviction
//	freeQueue    free_queue.go, rank_levels.go, order.go: the order of reuse
//	blockTable   block_table.go, index.go, stretch_children.go, segment_ranks.go: what can
//	             be found
//	Tier         tier.go, tier_pins.go, tier_reservations.go, tier_check.go: the calls
//	tierTable    tier_table.go: what is present or pending
//	tierQueue    tier_queue.go: the order of eviction
//
// A type reads and changes its own state and calls the types below it in this list, never
// one above. The block-by-block cache and tier of package kvtest behave the same; random
// operations compare them.
//
// # Ownership
//
// Neither Cache nor Tier is safe for concurrent use. Numbers (Sequence, Pin,
// Reservation) are valid until the call that ends them, and are used again. A chain
// belongs to the caller and must not change while its sequence runs. The slice that
// Reserve returns is valid until the next call; all other spans are appended to the
// caller's slice.
//
// # What may be called when
//
// Match comes right before AdmitNeeds and Admit of the same chain. A sequence runs from
// Admit to Release or Discard. Before StartDecode and after StopDecode it may be
// extended; a withheld one must be published before it decodes. Step needs StepNeeds free
// blocks: where there are fewer, the caller releases sequences first.
// SetListener is called on an empty Cache or Tier. A Reservation ends with Complete or
// Cancel, a Pin with Unpin. Broken rules panic.
//
// # Costs
//
// There is no record of a block. Segments are cut where prompts diverge, where a sequence
// reuses a part, and, from the end, where blocks are evicted; they are joined where they
// are freed together again. Match, Admit and Release cost as much as the prompt has
// stretches and segments, not blocks. Step costs as much as the sequences that other
// sequences have looked up, and with a listener those that fill a block; StepNeeds is
// O(1). Taking and evicting blocks costs as much as the segments they are in. The first
// Discard walks all stretches. Calls of a Tier cost as much as the spans have segments,
// and in LFU and Priority order a search among the ranks in use. In a steady state
// neither allocates.
package kv
