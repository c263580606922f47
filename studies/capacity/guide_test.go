// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"strings"
	"testing"
)

// The guide's own summary has 5722 and 13163 tokens/s, and a mean TTFT of 0.146 s and
// 43.0 s if stages count alike.
func TestThePublishedTableOfTheGuideHasItsMeans(t *testing.T) {
	published, err := parseStages(strings.NewReader(guideTable), []string{"optimized", "service"})
	if err != nil {
		t.Fatal(err)
	}
	for profile, want := range map[string]stage{
		"optimized": {tokensPerSecond: 13163, meanTTFT: 0.1465},
		"service":   {tokensPerSecond: 5722, meanTTFT: 42.97},
	} {
		var tokens, ttft float64
		for _, s := range published[profile] {
			tokens += s.tokensPerSecond / 16
			ttft += s.meanTTFT / 16
		}
		if math.Round(tokens) != want.tokensPerSecond || math.Abs(ttft/want.meanTTFT-1) > 0.001 {
			t.Errorf("%s: %.1f tokens/s and %.4f s, want %v", profile, tokens, ttft, want)
		}
	}
}
