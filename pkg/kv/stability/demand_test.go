// SPDX-License-Identifier: Apache-2.0

package stability

import (
	"fmt"
	"math"
	"testing"
)

// heldInSteps returns the tokens that a request holds in each of its steps.
func heldInSteps(promptTokens, outputTokens, chunkTokens int) []float64 {
	var held []float64
	if chunkTokens == 0 {
		chunkTokens = max(promptTokens, 1)
	}
	for done := 0; done < promptTokens; {
		done = min(done+chunkTokens, promptTokens)
		held = append(held, float64(done))
	}
	for k := 1; k <= outputTokens; k++ {
		held = append(held, float64(promptTokens+k))
	}
	return held
}

func TestDemandIsTheSumOverSteps(t *testing.T) {
	for _, s := range []int{0, 1, 15, 16, 17, 512, 1000} {
		for _, o := range []int{0, 1, 2, 128} {
			for _, chunk := range []int{0, 1, 16, 512, 5000} {
				t.Run(fmt.Sprintf("%d prompt, %d output, chunks of %d", s, o, chunk), func(t *testing.T) {
					held := heldInSteps(s, o, chunk)
					sum, squares, growth := 0.0, 0.0, 0.0
					for _, h := range held {
						sum += h
						squares += h * h
						growth = h - held[0]
					}
					if s == 0 {
						growth = float64(o) // there is no first step for the prompt
					}
					if got := TokenIterations(s, o, chunk); got != sum {
						t.Errorf("TokenIterations = %v, want %v", got, sum)
					}
					if got := squaredTokenIterations(s, o, chunk); got != squares {
						t.Errorf("squaredTokenIterations = %v, want %v", got, squares)
					}
					if got := grownTokens(s, o, chunk); got != growth {
						t.Errorf("grownTokens = %v, want %v", got, growth)
					}
				})
			}
		}
	}
}

// TestPublishedDemand holds the formulas against the figures that the paper
// gives for a prompt of 512 and an output of 128 tokens.
func TestPublishedDemand(t *testing.T) {
	if got := TokenIterations(512, 128, 512); got != 74_304 {
		t.Errorf("exact: %v, want 74304", got)
	}
	if got := ApproximateTokenIterations(512, 128); got != 73_728 {
		t.Errorf("approximate: %v, want 73728", got)
	}
}

func TestServedPerSecond(t *testing.T) {
	for name, tc := range map[string]struct{ demand, want float64 }{
		"the Azure code trace's mean":            {59_416, 354.3},
		"the Mooncake conversation trace's mean": {4_497_181, 4.68},
	} {
		if got := ServedPerSecond(420_992, 0.020, tc.demand); math.Abs(got/tc.want-1) > 0.001 {
			t.Errorf("%s: %v requests/s, want %v", name, got, tc.want)
		}
	}
}
