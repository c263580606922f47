// SPDX-License-Identifier: Apache-2.0

// Package prompt describes a tokenized prompt without its tokens: as a short list of
// extents, each a range of one text. It does not know where a prompt comes from or who
// caches it.
//
// Two prompts share a prefix exactly where their extents name the same tokens of the
// same texts; prefix caching depends on nothing else. [Prompt.FullBlocks] and
// [Prompt.AllBlocks] cut a prompt into KV blocks of any size and give each block an
// identity, which stands for the whole prefix up to its end.
package prompt
