// SPDX-License-Identifier: Apache-2.0

package scheduling

import "testing"

func TestVictims(t *testing.T) {
	running := []Job{
		{Turn: 3, Priority: 1, ComputedTokens: 900, Blocks: 57},
		{Turn: 1, Priority: 5, ComputedTokens: 100, Blocks: 9},
		{Turn: 9, Priority: 1, ComputedTokens: 400, Blocks: 25},
		{Turn: 4, Priority: 2, ComputedTokens: 100, Blocks: 25},
		{Turn: 5, Priority: 3, ComputedTokens: 120, Blocks: 10},
	}
	for name, tc := range map[string]struct {
		victim  Victim
		running []Job
		want    int
	}{
		"the one that was admitted last":                              {nil, running, 4},
		"the lowest rank, and the latest of two":                      {LowestRank, running, 2},
		"the fewest tokens, and the last admitted of two":             {FewestComputedTokens, running, 3},
		"the most blocks but for the first, the last of two":          {MostBlocks, running, 3},
		"the lowest rank of one":                                      {LowestRank, running[:1], 0},
		"the fewest tokens of one":                                    {FewestComputedTokens, running[:1], 0},
		"the most blocks of one":                                      {MostBlocks, running[:1], 0},
		"the most blocks of two: not the one that was admitted first": {MostBlocks, running[:2], 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := Priority()
			s.Victim = tc.victim
			expectVictim(t, s, tc.running, tc.want)
		})
	}
}
