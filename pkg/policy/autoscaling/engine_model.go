// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"cmp"

	"windtunnel.dev/windtunnel/pkg/latency"
)

// EngineModel is what a policy may know of a pool's engine before it runs, as from a
// profiler: how long steps take, and the limits of a batch.
type EngineModel struct {
	Timer latency.StepTimer
	// Accelerators are those of a replica.
	Accelerators int
	// KVTokens fit into the KV cache. ContextTokens is the longest prompt and answer.
	KVTokens, MaxNumSeqs, MaxNumBatchedTokens, ContextTokens int
	// Drafts is how many drafts of each request that decodes a step verifies, and TokensPerStep
	// how many tokens such a request gets in it on average; 0 is 1.
	Drafts        int
	TokensPerStep float64
}

// tokensPerStep is how many tokens a request that decodes gets in a step.
func (m *EngineModel) tokensPerStep() float64 { return cmp.Or(m.TokensPerStep, 1) }

// begins is how many prompt tokens are begun in each step in which decoding requests decode
// and as many begin as end; no more than a step computes.
func (m *EngineModel) begins(requests int, l lengths) int {
	return min(int(float64(requests*l.fresh)*m.tokensPerStep())/l.answer, m.MaxNumBatchedTokens)
}

// lengths are those of a mean request, in tokens. Of the prompt, cached tokens are not
// computed.
type lengths struct{ fresh, cached, answer int }

// seconds is how long a step takes; 0 without work.
func (m *EngineModel) seconds(step latency.Step) float64 {
	if step.Sequences == 0 {
		return 0
	}
	return m.Timer.StepTime(step).Seconds()
}

// decodeStep is a step in which a number of requests decode that together hold a number of tokens.
func (m *EngineModel) decodeStep(n, held int) latency.Step {
	pairs := int64(held) + int64(n)
	return latency.Step{
		Sequences: n, DecodeTokens: n, SampledTokens: n,
		AttentionPairs: pairs, DecodePairs: pairs, ContextTokens: pairs,
	}.Verifying(m.Drafts)
}

// withPrompts adds tokens of prompts to a step: of whole prompts as far as they go, and of
// the middle of one for the rest, which is the mean over all chunks of a prompt.
func withPrompts(step latency.Step, tokens int, l lengths) latency.Step {
	add := func(sequences, tokens int) {
		n, t, h := int64(sequences), int64(tokens), int64((l.fresh-tokens)/2+l.cached)
		step.Sequences += sequences
		step.SampledTokens += sequences
		step.PrefillTokens += sequences * tokens
		step.AttentionPairs += n * (t*h + t*(t+1)/2)
		step.ContextTokens += n * (h + t)
		step.DoublePromptPairs += n * t * (2*int64(l.fresh+l.cached) + t)
	}
	if n := tokens / l.fresh; n > 0 {
		add(n, l.fresh)
	}
	if rest := tokens % l.fresh; rest > 0 {
		add(1, rest)
	}
	return step
}
