// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// BenchmarkSequence is what a request costs a cache of 26,000 blocks, of which
// 64 others hold some: a prompt of 64 blocks that many share and 16 of its own,
// computed in two chunks, and an answer of 128 tokens.
func BenchmarkSequence(b *testing.B) {
	for order, name := range []string{"lru", "lfu"} {
		b.Run(name, func(b *testing.B) {
			c := NewCache(26_000, blockTokens, true, Order(order))
			chains := requestChains(4096)
			running := make([]Sequence, 64)
			turn := 0
			request := func() {
				slot, chain := turn%len(running), chains[turn%len(chains)]
				if turn >= len(running) {
					c.Release(running[slot])
				}
				turn++
				cached := c.Match(chain, 1279)
				s, ok := c.Admit(Admission{Chain: chain, Cached: cached, Tokens: max(cached+1, 1152)})
				if !ok || !c.Extend(s, 1280) {
					b.Fatal("no room")
				}
				c.StartDecode(s)
				c.Step()
				c.Step()
				running[slot] = s
			}
			for range chains {
				request()
			}
			b.ReportAllocs()
			for b.Loop() {
				request()
			}
		})
	}
}

// BenchmarkTier is what a request costs a tier of 100,000 blocks: it asks what
// is there, loads that, and stores the rest.
func BenchmarkTier(b *testing.B) {
	for order, name := range []string{"lru", "lfu"} {
		b.Run(name, func(b *testing.B) {
			s := NewTier(100_000, Order(order))
			chains := requestChains(8192)
			missing := []Span{}
			turn := 0
			request := func() {
				chain := chains[turn%len(chains)]
				turn++
				if n := s.Hits(chain, 0, 80); n > 0 {
					p := s.Pin(chain, 0, n)
					s.StoredSince(chain, 0, n, simtime.Time(turn-100))
					s.Touch(chain, 80, 0)
					s.Unpin(p)
				}
				missing = s.Missing(missing[:0], chain, 0, 80)
				if p, taken, _ := s.Reserve(missing); taken > 0 {
					s.Complete(p, simtime.Time(turn), 0)
				}
			}
			for range chains {
				request()
			}
			b.ReportAllocs()
			for b.Loop() {
				request()
			}
			b.ReportMetric(float64(s.table.segments.len())/float64(s.Present()), "segments/block")
		})
	}
}

// requestChains are prompts of 80 blocks, of which some begin with the same 64.
func requestChains(n int) [][]prompt.Stretch {
	chains := make([][]prompt.Stretch, n)
	for i := range chains {
		chains[i] = chainOf([2]int{i % 20, 1024}, [2]int{100 + i, 256}, [2]int{100_000 + i, 128})
	}
	return chains
}
