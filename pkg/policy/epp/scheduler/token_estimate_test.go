// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"fmt"
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/prompt"
)

func TestTokensAreEstimatedFromBytes(t *testing.T) {
	for name, tc := range map[string]struct {
		bytes float64
		text  []prompt.Extent
		want  int
	}{
		"4 bytes a token":                  {4, []prompt.Extent{{Source: 1, Tokens: 100}}, 100},
		"5 bytes":                          {5, []prompt.Extent{{Source: 1, Tokens: 100}}, 125},
		"3 bytes, the last ones alone":     {3, []prompt.Extent{{Source: 1, Tokens: 101}}, 76},
		"texts do not round by themselves": {5, []prompt.Extent{{Source: 1, Tokens: 1}, {Source: 2, Tokens: 1}, {Source: 3, Tokens: 1}, {Source: 4, Tokens: 1}}, 5},
		"nothing":                          {5, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			e := tokenEstimate{ratio: tc.bytes / config.EstimatedBytesPerToken}
			p := prompt.Prompt{Extents: tc.text}
			got, tokens := e.Of(p, p.Tokens())
			if tokens != tc.want || got.Tokens() != tc.want {
				t.Errorf("%d tokens, said to be %d, want %d", got.Tokens(), tokens, tc.want)
			}
		})
	}
}

// However a prompt is cut into extents, it has the same estimated blocks, and
// prompts that share a beginning share it still, but for a block that ends in a
// token of both.
func TestEstimatedPromptsShareWhatTheyShared(t *testing.T) {
	for _, bytes := range []float64{3, 4.4, 5} {
		t.Run(fmt.Sprint(bytes), func(t *testing.T) {
			blocks := func(extents ...prompt.Extent) []uint64 {
				e := tokenEstimate{ratio: bytes / config.EstimatedBytesPerToken}
				p := prompt.Prompt{Extents: extents}
				got, _ := e.Of(p, p.Tokens())
				return got.FullBlocks(nil, 16)
			}
			system := prompt.Extent{Source: 1, Tokens: 500}
			a := blocks(system, prompt.Extent{Source: 2, Tokens: 77})
			cut := blocks(prompt.Extent{Source: 1, Tokens: 123}, prompt.Extent{Source: 9}, prompt.Extent{Source: 1, Start: 123, Tokens: 377}, prompt.Extent{Source: 2, Tokens: 77})
			if fmt.Sprint(a) != fmt.Sprint(cut) {
				t.Error("the same prompt in other extents has other blocks")
			}
			b := blocks(system, prompt.Extent{Source: 3, Tokens: 20})
			shared := 0
			for shared < len(b) && a[shared] == b[shared] {
				shared++
			}
			if want := int(500*bytes/config.EstimatedBytesPerToken) / 16; shared != want {
				t.Errorf("%d blocks shared, want %d", shared, want)
			}
		})
	}
}
