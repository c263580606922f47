// SPDX-License-Identifier: Apache-2.0

// Package kv is one replica's KV cache in blocks, with the semantics of vLLM
// V1's block pool: blocks of running sequences are counted by reference, freed
// blocks keep their content and queue up to be reused, least recently used
// first, and a new prompt takes over the longest chain of blocks that is still
// there. The package knows nothing of requests or of routing; a prompt is a
// chain of block identities.
//
// Start at Cache.
package kv
