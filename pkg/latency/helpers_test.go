// SPDX-License-Identifier: Apache-2.0

package latency

import "testing"

func mustModel(t testing.TB, name string) Model {
	t.Helper()
	m, ok := Builtin().Model(name)
	if !ok {
		t.Fatalf("no model %s", name)
	}
	return m
}

func mustAccelerator(t testing.TB, name string) Accelerator {
	t.Helper()
	a, ok := Builtin().Accelerator(name)
	if !ok {
		t.Fatalf("no accelerator %s", name)
	}
	return a
}

// instance serves a model in the formats of its entry.
func instance(t testing.TB, model, accelerator string, tp int) Instance {
	t.Helper()
	return Instance{Model: mustModel(t, model), Accelerator: mustAccelerator(t, accelerator), TensorParallelism: tp}
}

// roofline is a model's with the accelerator's default coefficients.
func roofline(t testing.TB, model, accelerator string, tp int) *Roofline {
	t.Helper()
	i := instance(t, model, accelerator, tp)
	return i.Roofline(i.DefaultRoofline())
}

// sequence is what one sequence computes in a step: tokens new ones after
// before others. A chunk may end its prompt; a decode samples always.
type sequence struct {
	tokens, before int
	decode, ends   bool
	// full is the length of the prompt that a chunk is part of, 0 if it is the
	// end of it.
	full int
}

// step sums sequences up, pair by pair.
func step(batch ...sequence) Step {
	var s Step
	for _, q := range batch {
		s.Sequences++
		s.ContextTokens += int64(q.before + q.tokens)
		for i := range q.tokens {
			s.AttentionPairs += int64(q.before + i + 1)
		}
		switch {
		case q.decode:
			s.DecodeTokens++
			s.DecodePairs += int64(q.before + 1)
			s.SampledTokens++
		case q.ends:
			s.SampledTokens++
			fallthrough
		default:
			s.PrefillTokens += q.tokens
			full := max(q.full, q.before+q.tokens)
			s.DoublePromptPairs += int64(q.tokens * (2*full + q.tokens))
		}
	}
	return s
}

// decodes are n sequences that decode with the same context, the new token
// included.
func decodes(n, context int) []sequence {
	batch := make([]sequence, n)
	for i := range batch {
		batch[i] = sequence{tokens: 1, before: context - 1, decode: true}
	}
	return batch
}
