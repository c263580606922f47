// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestTouchedExperts(t *testing.T) {
	tests := []struct {
		experts, perToken, tokens int
		want                      float64
	}{
		{8, 2, 0, 0},
		{8, 2, 1, 2},
		{8, 2, 2, 8 * (1 - 0.75*0.75)},
		{8, 2, 32, 7.999196},
		{128, 8, 1, 8},
		{128, 8, 16, 82.4225},
		{256, 8, 64, 222.4425},
		{4, 4, 1, 4},
	}
	for _, tc := range tests {
		touched := touchedExperts(tc.experts, tc.perToken)
		if got := touched[min(tc.tokens, len(touched)-1)]; math.Abs(got-tc.want) > 1e-4 {
			t.Errorf("%d tokens touch %.4f of %d experts, want %.4f", tc.tokens, got, tc.experts, tc.want)
		}
	}
}

func TestTouchedExpertsMatchesSampling(t *testing.T) {
	const experts, perToken, tokens, trials = 16, 3, 5, 20000
	r := rand.New(rand.NewPCG(9, 10))
	total := 0
	for range trials {
		var touched [experts]bool
		for range tokens {
			for _, e := range r.Perm(experts)[:perToken] {
				touched[e] = true
			}
		}
		for _, yes := range touched {
			if yes {
				total++
			}
		}
	}
	if got, want := touchedExperts(experts, perToken)[tokens], float64(total)/trials; math.Abs(got/want-1) > 0.01 {
		t.Errorf("%.3f experts, drawn %.3f", got, want)
	}
}

func TestTouchedExpertsEndsWithAllExperts(t *testing.T) {
	for _, tc := range [][2]int{{8, 2}, {128, 8}, {256, 8}, {maxExperts, 1}, {1, 1}} {
		touched := touchedExperts(tc[0], tc[1])
		for n := 1; n < len(touched); n++ {
			if touched[n] < touched[n-1] {
				t.Fatalf("%v: %f experts for %d tokens, %f for one more", tc, touched[n-1], n-1, touched[n])
			}
		}
		if last := touched[len(touched)-1]; last != float64(tc[0]) {
			t.Errorf("%v: the last is %f", tc, last)
		}
	}
}

func TestDenseModelReadsNoExperts(t *testing.T) {
	i := instance(t, "Llama-3.1-8B", "h100-sxm", 1)
	experts := i.expertTime(i.DefaultRoofline())
	if got := experts.of(100); got != 0 {
		t.Errorf("%f ns", got)
	}
}

// Coefficients of experts, on Mixtral with TP 2, change what they name alone.
func TestExpertCoefficients(t *testing.T) {
	i := instance(t, "Mixtral-8x7B", "h100-sxm", 2)
	const (
		expert = 32 * 3 * 4096 * 14336
		read   = 2 * 2 * expert / (2 * 3.35e12 * 0.95) // of two experts of BF16, by one of two GPUs
		mfu    = 0.5 * 0.76
		flops  = 2 * 2 * expert / (2 * 989e12 * mfu)        // of a token in two experts
		tiles  = 2 * 8 * 32 * expert / (2 * 989e12 * mfu)   // of 32 empty places at each of 8 experts
		slower = (4096*flops + tiles) * (mfu/(0.5*0.5) - 1) // at half of the MFU
	)
	prompt, decode := step(sequence{tokens: 4096, ends: true}), step(decodes(1, 100)...)
	tests := map[string]struct {
		change         func(*RooflineCoefficients)
		prompt, decode float64 // seconds more
	}{
		"small matrices":  {func(c *RooflineCoefficients) { c.ExpertEfficiency = 0.5 }, slower, 0},
		"a slower memory": {func(c *RooflineCoefficients) { c.ExpertMemoryEfficiency = 0.95 / 2 }, 0, read},
		// A prompt needs all experts of both GPUs, and a GPU has no more: no tiles more.
		"a busier GPU":                 {func(c *RooflineCoefficients) { c.ExpertImbalance = 1.5 }, 0.5 * flops * 4096, 0.5 * read},
		"no more than all of the work": {func(c *RooflineCoefficients) { c.ExpertImbalance = 9 }, flops * 4096, read},
		"a latency of dispatch":        {func(c *RooflineCoefficients) { c.DispatchLatency += 20e3 }, 32 * 20e-6, 32 * 20e-6},
		"an overhead of dispatch":      {func(c *RooflineCoefficients) { c.DispatchTokenOverhead = 30 }, 32 * 4096 * 30e-9, 32 * 30e-9},
		"an overhead of layers":        {func(c *RooflineCoefficients) { c.LayerOverhead += 5e3 }, 32 * 5e-6, 32 * 5e-6},
	}
	neutral := i.Roofline(i.DefaultRoofline())
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := i.DefaultRoofline()
			tc.change(&c)
			changed := i.Roofline(c)
			if got := (changed.StepTime(prompt) - neutral.StepTime(prompt)).Seconds(); math.Abs(got-tc.prompt) > 2e-9 {
				t.Errorf("a prompt takes %.9f s more, want %.9f", got, tc.prompt)
			}
			if got := (changed.StepTime(decode) - neutral.StepTime(decode)).Seconds(); math.Abs(got-tc.decode) > 2e-9 {
				t.Errorf("a decode takes %.9f s more, want %.9f", got, tc.decode)
			}
		})
	}
}

func TestOneGPUHasNoImbalance(t *testing.T) {
	i := instance(t, "Qwen3-30B-A3B", "h100-sxm", 1)
	c := DefaultRoofline(i.Accelerator)
	even := i.Roofline(c)
	c.ExpertImbalance = 3
	s := step(append(decodes(20, 500), sequence{tokens: 1000})...)
	if got, want := i.Roofline(c).StepTime(s), even.StepTime(s); got != want {
		t.Errorf("step = %s, want %s", got, want)
	}
}
