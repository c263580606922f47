// SPDX-License-Identifier: Apache-2.0

// Package prompt describes a tokenised prompt without its tokens: as a short
// list of extents, each a run of one text. Two prompts share a prefix exactly
// where their extents name the same tokens of the same texts, and that is all
// that prefix caching depends on. [Prompt.FullBlocks] and [Prompt.AllBlocks]
// cut a prompt into KV blocks of any size and give each an identity that
// stands for the whole prefix up to its end. The package does not know where
// a prompt came from, nor who caches it.
package prompt
