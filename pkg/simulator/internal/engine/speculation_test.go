// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"math"
	"testing"
)

// TestDrawsOfAcceptance: draws depend on the request, on the place in its answer and on the seed, and on nothing else.
func TestDrawsOfAcceptance(t *testing.T) {
	seen := map[float64]bool{}
	sum := 0.0
	const each = 60
	for seed := range int64(each) {
		for request := range each {
			for generated := range each {
				at := draw(seed, request, generated)
				if at < 0 || at >= 1 || seen[at] || at != draw(seed, request, generated) {
					t.Fatalf("draw %v of seed %d, request %d, token %d", at, seed, request, generated)
				}
				seen[at] = true
				sum += at
			}
		}
	}
	n := float64(len(seen))
	if bound := 4 * math.Sqrt(1/12./n); math.Abs(sum/n-0.5) > bound {
		t.Errorf("the mean draw is %v, want 0.5 ± %v", sum/n, bound)
	}
}
