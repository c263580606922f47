// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"math/rand/v2"
	"testing"
)

// No step is faster than a floor says.
func TestStepsTakeAtLeastTheirFloors(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for name, timer := range map[string]Floored{
		"roofline, 8B":              roofline(t, "meta-llama/Llama-3.1-8B-Instruct", "h100-sxm", 1),
		"roofline, 70B on four":     roofline(t, "meta-llama/Llama-3.1-70B-Instruct", "h100-sxm", 4),
		"roofline, latent, experts": roofline(t, "deepseek-ai/DeepSeek-V3", "h200-sxm", 8),
		"linear":                    Linear{6910.42, 17.67057, 2.83775},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2000 {
				var batch []sequence
				for range 1 + random.IntN(60) {
					batch = append(batch, randomSequence(random))
				}
				s := step(batch...)
				took := float64(timer.StepTime(s))
				for i, f := range timer.Floors() {
					least := f.Step + f.Token*float64(s.PrefillTokens+s.DecodeTokens) + f.Sample*float64(s.SampledTokens) +
						f.Pair*float64(s.AttentionPairs) + f.Context*float64(s.ContextTokens)
					if took < least*(1-1e-12) {
						t.Fatalf("step %+v takes %v ns, floor %d is %v ns", s, took, i, least)
					}
				}
			}
		})
	}
}

// randomSequence is a decode, or a chunk of a prompt.
func randomSequence(random *rand.Rand) sequence {
	before := random.IntN(20_000)
	if random.IntN(4) > 0 {
		return sequence{tokens: 1, before: before, decode: true}
	}
	return sequence{tokens: 1 + random.IntN(8192), before: before * random.IntN(2), ends: random.IntN(2) == 0}
}
