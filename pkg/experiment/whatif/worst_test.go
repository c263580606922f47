// SPDX-License-Identifier: Apache-2.0

package whatif

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestWorstPicks(t *testing.T) {
	const second = time.Second
	all := []Observation{
		{Request: 0, Scored: true, Margin: 2, PromptTokens: 100, TTFT: second, Target: 2 * second},
		{Request: 1, Scored: true, Margin: 1, PromptTokens: 100, TTFT: 3 * second, Target: 2 * second},
		{Request: 2, Scored: true, ScoreRegret: 0.5, PromptTokens: 10, TTFT: second},
		{Request: 3, PromptTokens: 1, TTFT: second},
		{Request: 4, Scored: true, ScoreRegret: 3, PromptTokens: 100, TTFT: 4 * second, Target: second},
		{Request: 5, Scored: true, Margin: 1, PromptTokens: 0, TTFT: 0},
	}
	before := slices.Clone(all)
	for name, test := range map[string]struct{ want, got []int }{
		"by score":                          {[]int{4, 2, 1, 5, 0}, ByScore(all, 9)},
		"the two worst by score":            {[]int{4, 2}, ByScore(all, 2)},
		"by outcome":                        {[]int{4, 1, 3, 2, 0, 5}, ByOutcome(all, 9)},
		"the worst by outcome":              {[]int{4}, ByOutcome(all, 1)},
		"none":                              {[]int{}, ByOutcome(all, 0)},
		"none of nothing":                   {[]int{}, ByScore(nil, 3)},
		"all at random, in their order":     {[]int{0, 1, 2, 3, 4, 5}, AtRandom(all, 9, 1)},
		"the same at random from a seed":    {AtRandom(all, 3, 7), AtRandom(all, 3, 7)},
		"none at random of no observations": {[]int{}, AtRandom(nil, 3, 1)},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.got); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
	if diff := cmp.Diff(before, all); diff != "" {
		t.Errorf("the observations have changed (-before +after):\n%s", diff)
	}
}

// Each request is drawn as often as any other.
func TestRandomPicksAreUniform(t *testing.T) {
	all := make([]Observation, 10)
	for i := range all {
		all[i].Request = i
	}
	const seeds = 4000
	drawn := make([]int, len(all))
	for seed := range int64(seeds) {
		for _, request := range AtRandom(all, 3, seed) {
			drawn[request]++
		}
	}
	for request, n := range drawn {
		if n < 1050 || n > 1350 { // 1200 ± 5 standard deviations
			t.Errorf("request %d is drawn %d times of %d", request, n, seeds)
		}
	}
}
