// SPDX-License-Identifier: Apache-2.0

package latency

import "time"

// Step is the work of one engine step, in sums over its sequences. A prompt's
// chunk of t new tokens with h tokens computed before it counts as t tokens; a
// decoding sequence counts as one.
type Step struct {
	// Sequences is the size of the batch.
	Sequences int
	// PrefillTokens and DecodeTokens are the new tokens by phase.
	PrefillTokens, DecodeTokens int
	// AttentionPairs is the number of (new token, token it attends to) pairs:
	// t·h + t·(t+1)/2 for a chunk, the context for a decode.
	AttentionPairs int64
	// DecodePairs is the part of AttentionPairs that belongs to decodes.
	DecodePairs int64
	// ContextTokens is the number of tokens whose KV is read: h+t for a
	// chunk, the context for a decode, the new token included in both.
	ContextTokens int64
	// SampledTokens is the number of tokens that pass through the LM head:
	// one for a decode and for a chunk that ends its prompt.
	SampledTokens int
}

// StepTimer gives the duration of a step: deterministic, at least 1 ns, and
// safe for concurrent use.
type StepTimer interface {
	StepTime(Step) time.Duration
}

// RequestCost is what a request costs outside the steps.
type RequestCost struct {
	// QueueBase and QueuePerInputToken delay the entry into the wait queue.
	QueueBase, QueuePerInputToken time.Duration
	// PerOutputToken delays each token on its way out, beside the step clock.
	PerOutputToken time.Duration
}
