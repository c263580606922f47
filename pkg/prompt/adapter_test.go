// SPDX-License-Identifier: Apache-2.0

package prompt_test

import (
	"slices"
	"testing"

	"windtunnel.dev/windtunnel/pkg/prompt"
)

func TestAdaptersHaveNoBlockInCommon(t *testing.T) {
	text := prompt.Prompt{}
	for source := range uint64(100) {
		text = text.Append(prompt.Extent{Source: source, Tokens: 16})
	}
	plain := text.FullStretches(nil, 16)
	seen := map[uint64]bool{}
	for adapter := range int32(50) {
		mine := slices.Clone(plain)
		prompt.ForAdapter(mine, adapter)
		if adapter == 0 && !slices.Equal(mine, plain) {
			t.Error("the base model's are not as they were")
		}
		for i, s := range mine {
			if seen[s.ID] {
				t.Fatalf("stretch %d of adapter %d is known", i, adapter)
			}
			seen[s.ID] = true
			if s.Blocks != plain[i].Blocks {
				t.Errorf("stretch %d of adapter %d has %d blocks, want %d", i, adapter, s.Blocks, plain[i].Blocks)
			}
		}
	}
}
