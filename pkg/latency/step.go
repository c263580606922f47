// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"math"
	"time"
)

// Step is the work of one engine step, in sums over its sequences. A sequence
// computes either a chunk of its prompt, t new tokens after h that were
// computed before, or decodes, where t is 1 and one more for each draft that the
// step verifies. A sequence that was preempted computes prompt and generated tokens
// again as chunks.
type Step struct {
	// Sequences is the number of sequences that compute something.
	Sequences int
	// PrefillTokens is the sum of t over chunks, DecodeTokens that over decodes.
	PrefillTokens, DecodeTokens int
	// AttentionPairs is the number of pairs of a new token and a token that
	// it attends to, itself included: t·h + t·(t+1)/2. DecodePairs is the decodes'
	// part of it, and DraftPairs that of all but the last token of each decode. So
	// DecodePairs − DraftPairs is the context of the decodes.
	AttentionPairs, DecodePairs, DraftPairs int64
	// ContextTokens is the number of tokens whose KV the step reads: h+t for
	// chunks and decodes alike.
	ContextTokens int64
	// SampledTokens is the number of tokens that pass through the LM head:
	// those of decodes, and one for a chunk that ends its prompt.
	SampledTokens int
	// DoublePromptPairs is the sum over chunks of t·(2·s + t), where s is the
	// full length of what the chunk is a part of, whatever was computed before
	// it: the prompt, or after a preemption prompt and generated tokens.
	DoublePromptPairs int64
}

// prefillContext returns the sum of h over chunks.
func (s *Step) prefillContext() int64 {
	return s.ContextTokens - (s.DecodePairs - s.DraftPairs) - int64(s.PrefillTokens)
}

// Verifying returns the step in which each decode also verifies a number of drafts.
func (s Step) Verifying(drafts int) Step {
	n, k := int64(s.DecodeTokens), int64(drafts)
	context := s.DecodePairs + n*k
	pairs := (k+1)*s.DecodePairs + n*k*(k+1)/2
	s.AttentionPairs += pairs - s.DecodePairs
	s.DecodePairs, s.DraftPairs = pairs, pairs-context
	s.ContextTokens += n * k
	s.DecodeTokens += int(n * k)
	s.SampledTokens += int(n * k)
	return s
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
	// PerOutputToken delays each token on its way out, in addition to the step clock.
	PerOutputToken time.Duration
	// Completion delays the end of the whole answer once, after its last
	// token.
	Completion time.Duration
}

// longestStep is where step times end, some 104 days: converting a larger
// float to an integer may come out differently on another architecture.
const longestStep = time.Duration(1 << 53)

// wholeNanoseconds rounds to whole ns, at least 1: a clock must move.
func wholeNanoseconds(ns float64) time.Duration {
	if ns >= float64(longestStep) {
		return longestStep
	}
	return max(1, time.Duration(math.Round(ns)))
}
