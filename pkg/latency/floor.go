// SPDX-License-Identifier: Apache-2.0

package latency

// Floor is a linear lower bound of step times, in nanoseconds: a step with at least one
// sequence takes at least Step + Token·(PrefillTokens + DecodeTokens) +
// Sample·SampledTokens + Pair·AttentionPairs + Context·ContextTokens. Unlike a step time, it
// adds up over steps, and it does not tell a prompt from an answer that is computed again.
type Floor struct{ Step, Token, Sample, Pair, Context float64 }

// Floored is a StepTimer with linear lower bounds.
type Floored interface {
	StepTimer
	// Floors returns one or more lower bounds, each of which holds.
	Floors() []Floor
}

// rounding is how much less than the exact time a step may take, in nanoseconds.
const rounding = 0.5

// Floors implements Floored: the time that computing takes, and that reading memory takes.
// What reading experts, windows, and the measured all-reduce add is left out.
func (r *Roofline) Floors() []Floor {
	compute := Floor{
		Step:   r.step + r.experts.floor - rounding,
		Token:  min(r.prefill.token, r.decode.token) + r.token + r.experts.dispatch + r.experts.multiply,
		Sample: min(r.prefill.sample, r.decode.sample) + r.sequence,
		Pair:   min(r.prefill.pair, r.decode.pair),
	}
	// A step reads the KV of its context, and writes that of its new tokens.
	memory := Floor{
		Step:    r.step + r.weights + r.experts.floor - rounding,
		Token:   r.kvWrite + r.window.kvWrite + r.token + r.experts.dispatch + r.experts.multiply,
		Sample:  r.sequence,
		Context: r.kvRead,
	}
	return []Floor{compute, memory}
}

// Floors implements Floored. A token of a prompt may cost more than one of an answer, so the
// floors are loose where the two differ.
func (l Linear) Floors() []Floor {
	return []Floor{{
		Step:  float64(l.BaseMicroseconds*1e3) - rounding, // rounded before the difference: no fused multiply-add
		Token: min(l.PerPrefillTokenMicroseconds, l.PerDecodeTokenMicroseconds) * 1e3,
	}}
}
