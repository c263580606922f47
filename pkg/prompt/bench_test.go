// SPDX-License-Identifier: Apache-2.0

package prompt_test

import (
	"fmt"
	"testing"

	"windtunnel.dev/windtunnel/pkg/prompt"
)

// The shape of a prompt of the Mooncake conversation trace: about 24 runs of
// 512 tokens, the last one partial. Report the cost of one block, not of one
// prompt, so that block sizes compare.
func BenchmarkBlocks(b *testing.B) {
	var p prompt.Prompt
	for i := range 23 {
		p = p.Append(prompt.Extent{Source: uint64(i), Tokens: 512})
	}
	p = p.Append(prompt.Extent{Source: 99, Tokens: 259})
	for _, block := range []int{16, 64} {
		b.Run(fmt.Sprintf("tokens=%d", block), func(b *testing.B) {
			var ids []uint64
			b.ReportAllocs()
			for b.Loop() {
				ids = p.FullBlocks(ids[:0], block)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(ids)), "ns/block")
		})
	}
}
