// SPDX-License-Identifier: Apache-2.0

// Package kvindex indexes which KV blocks each endpoint holds, from the KV events that a
// policy.CacheListener receives. It does not decide where a request is sent.
//
// An Index has the blocks and the endpoints that hold them, a Match counts the blocks of a
// prompt that each endpoint holds from the first block on, and a Feed delivers events to
// an index after a delay.
package kvindex
