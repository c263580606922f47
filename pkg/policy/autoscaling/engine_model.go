// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"cmp"
	"sort"

	"windtunnel.dev/windtunnel/pkg/latency"
)

// EngineModel is what a policy may know of a pool's engine before it runs, as from a
// profiler: how long steps take, and the limits of a batch.
type EngineModel struct {
	Timer latency.StepTimer
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

// context is the mean number of tokens that a request holds while it decodes.
func (l lengths) context() int { return l.fresh + l.cached + l.answer/2 }

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

// prompts is how many seconds the tokens of prompts take in full steps that also compute decodes.
func (m *EngineModel) prompts(tokens int, l lengths, decodes latency.Step) float64 {
	chunk := max(1, m.MaxNumBatchedTokens-decodes.DecodeTokens)
	seconds := float64(float64(tokens/chunk) * m.seconds(withPrompts(decodes, chunk, l)))
	if rest := tokens % chunk; rest > 0 {
		seconds += m.seconds(withPrompts(decodes, rest, l))
	}
	return seconds
}

// A pace is the requests per second that one engine serves, with the time to first token
// and the time between tokens in seconds at it; 0 where the engine gives none.
type pace struct{ perSecond, ttft, itl float64 }

// prefills is the pace of an engine that computes one prompt after the other.
func (m *EngineModel) prefills(l lengths) pace {
	ttft := m.prompts(l.fresh, l, latency.Step{})
	return pace{1 / ttft, ttft, 0}
}

// held is how many requests decode at most: as many as the KV cache and a batch hold.
func (m *EngineModel) held(l lengths) int {
	return max(1, min(m.KVTokens/max(1, l.context()), m.MaxNumSeqs))
}

// decodes is the pace of an engine that decodes the greatest batch within the target of the
// time between tokens; a batch of one where none is.
func (m *EngineModel) decodes(l lengths, itl float64) pace {
	step := func(batch int) float64 { return m.seconds(m.decodeStep(batch, batch*l.context())) / m.tokensPerStep() }
	most := m.held(l)
	batch := max(1, sort.Search(most, func(i int) bool { return step(i+1) > itl }))
	return pace{float64(batch) / (float64(l.answer) * step(batch)), 0, step(batch)}
}

// serves is the pace of an engine that computes prompts and answers together: at the greatest batch
// up to which both targets hold, and steps have room for the prompts of as many requests as
// end.
func (m *EngineModel) serves(l lengths, ttft, itl float64) pace {
	most := min(m.held(l), m.MaxNumBatchedTokens*l.answer/(int(float64(l.fresh)*m.tokensPerStep())+(1+m.Drafts)*l.answer))
	best := m.serving(1, l)
	for batch := 2; batch <= most && best.ttft <= ttft && best.itl <= itl; batch++ {
		next := m.serving(batch, l)
		if next.ttft > ttft || next.itl > itl {
			break
		}
		best = next
	}
	return best
}

// serving is the pace at which a batch of requests decodes, and each step computes the prompts
// of as many as end in it.
func (m *EngineModel) serving(batch int, l lengths) pace {
	decodes := m.decodeStep(batch, batch*l.context())
	begun := m.begins(batch, l)
	itl := m.seconds(withPrompts(decodes, begun, l)) / m.tokensPerStep()
	return pace{float64(batch) / (float64(l.answer) * itl), m.prompts(begun+l.fresh, l, decodes), itl}
}
