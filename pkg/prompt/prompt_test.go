// SPDX-License-Identifier: Apache-2.0

package prompt_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/prompt"
)

func TestTokensIsTheSumOfTheExtents(t *testing.T) {
	for name, tc := range map[string]struct {
		p    prompt.Prompt
		want int
	}{
		"an empty prompt":  {of(), 0},
		"one extent":       {of(prompt.Extent{Source: 1, Start: 5, Tokens: 7}), 7},
		"several extents":  {of(prompt.Extent{Tokens: 7}, prompt.Extent{}, prompt.Extent{Tokens: 2}), 9},
		"past 31 bits too": {of(prompt.Extent{Tokens: 1<<31 - 1}, prompt.Extent{Tokens: 1<<31 - 1}), 1<<32 - 2},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tc.p.Tokens(); got != tc.want {
				t.Errorf("%d tokens, want %d", got, tc.want)
			}
		})
	}
}

func TestAppendLeavesPromptsThatShareMemoryAlone(t *testing.T) {
	memory := make([]prompt.Extent, 1, 8)
	memory[0] = prompt.Extent{Source: 1, Tokens: 4}
	p := prompt.Prompt{Extents: memory}
	a := p.Append(prompt.Extent{Source: 2, Tokens: 1})
	b := p.Append(prompt.Extent{Source: 3, Tokens: 1})
	want := []prompt.Prompt{
		of(prompt.Extent{Source: 1, Tokens: 4}),
		of(prompt.Extent{Source: 1, Tokens: 4}, prompt.Extent{Source: 2, Tokens: 1}),
		of(prompt.Extent{Source: 1, Tokens: 4}, prompt.Extent{Source: 3, Tokens: 1}),
	}
	if diff := cmp.Diff(want, []prompt.Prompt{p, a, b}); diff != "" {
		t.Errorf("prompts (−want +got):\n%s", diff)
	}
}
