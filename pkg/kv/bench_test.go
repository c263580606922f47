// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"fmt"
	"testing"
)

// A cache of Llama-3.1-8B on an H100 and prompts of the length that is usual
// in recorded conversations.
const (
	benchBlocks = 26312
	benchLength = 750 // blocks of a prompt
)

// perBlock adds what one block of a sequence costs.
func perBlock(b *testing.B, blocks int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(blocks), "ns/block")
}

// BenchmarkChurn admits and ends prompts where a third of each is cached and
// the rest replaces older blocks, on as many replicas in turn, whose caches
// compete for the processor's.
func BenchmarkChurn(b *testing.B) {
	for _, replicas := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("%d replicas", replicas), func(b *testing.B) {
			caches := make([]*Cache, replicas)
			for i := range caches {
				caches[i] = New(benchBlocks, 16, true)
			}
			texts := make([][]uint64, 128)
			for i := range texts {
				texts[i] = append(chainOf(uint64(i%8), benchLength/3), chainOf(uint64(100+i), benchLength*2/3)...)
			}
			var a Allocation
			turn := 0
			sequence := func() {
				c, chain := caches[turn%replicas], texts[turn/replicas%len(texts)]
				turn++
				c.Match(chain, benchLength*16-1)
				if !c.Extend(&a, chain, benchLength*16) {
					b.Fatal("no room")
				}
				c.Release(&a)
			}
			for range replicas * len(texts) {
				sequence()
			}
			b.ReportAllocs()
			for b.Loop() {
				sequence()
			}
			perBlock(b, benchLength)
		})
	}
}

func BenchmarkMatch(b *testing.B) {
	c := New(benchBlocks, 16, true)
	var a Allocation
	chain := chainOf(1, benchLength)
	c.Extend(&a, chain, benchLength*16)
	b.ReportAllocs()
	for b.Loop() {
		if c.Match(chain, benchLength*16) != benchLength*16 {
			b.Fatal("no match")
		}
	}
	perBlock(b, benchLength)
}

// BenchmarkDecode grows a sequence by a block at a time.
func BenchmarkDecode(b *testing.B) {
	c := New(benchBlocks, 16, true)
	var a Allocation
	chain := chainOf(1, benchLength)
	b.ReportAllocs()
	for b.Loop() {
		for tokens := 16; tokens <= benchLength*16; tokens += 16 {
			c.Extend(&a, chain, tokens)
		}
		c.Release(&a)
	}
	perBlock(b, benchLength)
}

// BenchmarkIdentities holds the index against a Go map: one look-up of a
// cached block, one eviction, one look-up that misses and one insertion a turn.
func BenchmarkIdentities(b *testing.B) {
	identities := chainOf(1, 4*benchBlocks)
	b.Run("index", func(b *testing.B) {
		c := New(benchBlocks, 16, true)
		for i := range benchBlocks {
			c.name(int32(i), identities[i])
		}
		b.ReportAllocs()
		turn := 0
		for b.Loop() {
			block := int32(turn % benchBlocks)
			_, hit := c.find(c.blocks[block].identity)
			c.forget(block)
			next := identities[(turn+benchBlocks)%len(identities)]
			_, miss := c.find(next)
			c.name(block, next)
			if !hit || miss {
				b.Fatal("wrong")
			}
			turn++
		}
	})
	b.Run("map", func(b *testing.B) {
		blocks, carried := make(map[uint64]int32, benchBlocks), make([]uint64, benchBlocks)
		for i := range benchBlocks {
			blocks[identities[i]], carried[i] = int32(i), identities[i]
		}
		b.ReportAllocs()
		turn := 0
		for b.Loop() {
			block := int32(turn % benchBlocks)
			_, hit := blocks[carried[block]]
			delete(blocks, carried[block])
			next := identities[(turn+benchBlocks)%len(identities)]
			_, miss := blocks[next]
			blocks[next], carried[block] = block, next
			if !hit || miss {
				b.Fatal("wrong")
			}
			turn++
		}
	})
}
