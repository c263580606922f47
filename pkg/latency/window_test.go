// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"math"
	"testing"
)

// A model of 4 layers, of which 3 attend to 100 tokens, beside one whose layers attend to
// all: each layer less reads and computes what lies outside of its window.
func TestSlidingWindowByHand(t *testing.T) {
	full := instance(t, "Llama-3.1-8B", "h100-sxm", 1)
	full.Model.Layers = 4
	windowed := full
	windowed.Model.SlidingWindow = &SlidingWindow{Tokens: 100, Layers: 3}
	const (
		read = 2 * 8 * 128 * 2 / (3.35e12 * 0.8) // KV of a token and layer
		pair = 4 * 32 * 128 / (989e12 * 0.5)     // of all heads, in a layer
	)
	tests := map[string]struct {
		batch []sequence
		less  float64 // seconds
	}{
		"decodes beyond the window read 100 tokens and the new one": {decodes(8, 1000), 3 * 8 * (1000 - 101) * read},
		"decodes within it read all of theirs":                      {decodes(8, 90), 0},
		// Of 8192·8193/2 pairs, 8192·100 are left (the first 100 tokens have fewer).
		"a prompt attends to 100 tokens each": {[]sequence{{tokens: 8192, ends: true}}, 3 * (8192*8193/2 - 8192*100) * pair},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c, s := full.DefaultRoofline(), step(tc.batch...)
			less := full.Roofline(c).StepTime(s) - windowed.Roofline(c).StepTime(s)
			if got := less.Seconds(); math.Abs(got-tc.less) > 2e-9 {
				t.Errorf("%.9f s less, want %.9f", got, tc.less)
			}
		})
	}
}
