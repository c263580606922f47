// SPDX-License-Identifier: Apache-2.0

// Package kvindex knows what endpoints hold of a prompt, from what a
// policy.CacheListener is told. An Index has the blocks and who holds them where,
// a Match counts what each endpoint holds of a prompt from its first block on, and
// a Feed brings events to whoever keeps an index, some time late.
package kvindex
