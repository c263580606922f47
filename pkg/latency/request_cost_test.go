// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"testing"
	"time"
)

// Direct with 600 tokens: 6 ms + 600 · 1.5 µs = 6.9 ms, near to the 7 ms measured. Gateway with 8,000 tokens:
// 8 ms + 8,000 · 11.5 µs = 100 ms, as published.
func TestPresetsOfRequestCost(t *testing.T) {
	for _, tc := range []struct {
		preset RequestCostPreset
		tokens int
		want   time.Duration
	}{
		{DirectWay, 600, 6900 * time.Microsecond},
		{GatewayWay, 8000, 100 * time.Millisecond},
		{"None", 8000, 0},
		{"", 8000, 0},
	} {
		c := tc.preset.Cost()
		if got := c.QueueBase + time.Duration(tc.tokens)*c.QueuePerInputToken; got != tc.want || c.PerOutputToken+c.Completion != 0 {
			t.Errorf("%s: %d tokens take %v, want %v", tc.preset, tc.tokens, got, tc.want)
		}
	}
}
