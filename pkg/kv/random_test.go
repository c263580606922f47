// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAgainstOracle drives the cache and a plain one with the same random
// operations and compares all that can be seen, and the free queue too.
func TestAgainstOracle(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		blocks := 1 + r.IntN(24)
		operations := make([]byte, 450)
		for i := range operations {
			operations[i] = byte(r.Uint32())
		}
		compareWithOracle(t, blocks, seed%5 != 0, operations)
	}
}

func FuzzAgainstOracle(f *testing.F) {
	f.Add(uint8(0), true, []byte{0, 1, 2, 3, 255, 128, 64})
	f.Add(uint8(4), true, []byte{0, 17, 255, 1, 17, 255, 0, 0, 0, 2, 9, 255})
	f.Add(uint8(9), false, []byte{0, 17, 255, 1, 17, 255, 0, 0, 0, 2, 9, 255})
	f.Fuzz(func(t *testing.T, blocks uint8, caching bool, operations []byte) {
		compareWithOracle(t, 1+int(blocks)%32, caching, operations)
	})
}

// pair is a cache, its oracle and the sequences that run on both.
type pair struct {
	cache     *Cache
	oracle    *oracle
	sequences [4]Allocation
	plain     [4]oracleAllocation
	tokens    [4]int
}

// compareWithOracle reads three bytes an operation: which of four sequences
// acts, how, and how much of its chain it knows. A sequence belongs to one of
// three texts that share a beginning; two sequences share a text. It grows by
// up to 17 tokens, or ends.
func compareWithOracle(t *testing.T, blocks int, caching bool, operations []byte) {
	t.Helper()
	const blockTokens = 4
	p := pair{cache: New(blocks, blockTokens, caching), oracle: newOracle(blocks, blockTokens, caching)}
	for ; len(operations) >= 3; operations = operations[3:] {
		s, act, known := int(operations[0])%4, int(operations[1]), int(operations[2])
		chain := textChain(s % 3)
		if act%4 == 0 {
			p.cache.Release(&p.sequences[s])
			p.oracle.release(&p.plain[s])
			p.tokens[s] = 0
		} else if tokens := min(p.tokens[s]+1+act%17, len(chain)*blockTokens+3); tokens > p.tokens[s] {
			if known%4 == 0 { // of generated tokens only what is there is known
				chain = chain[:known/4%(len(chain)+1)]
			}
			got, want := p.cache.Extend(&p.sequences[s], chain, tokens), p.oracle.extend(&p.plain[s], chain, tokens)
			if got != want {
				t.Fatalf("%d operations before the end: Extend = %v, oracle %v", len(operations)/3, got, want)
			}
			if got {
				p.tokens[s] = tokens
			}
		}
		p.compare(t)
		if t.Failed() {
			t.Fatalf("%d operations before the end", len(operations)/3)
		}
	}
}

func textChain(text int) []uint64 { return append(chainOf(0, 3), chainOf(uint64(1+text), 8)...) }

func (p *pair) compare(t *testing.T) {
	t.Helper()
	if err := p.cache.Check(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(append([]int32{}, p.oracle.free...), p.cache.freeBlocks()); diff != "" {
		t.Errorf("free queue (−want +got):\n%s", diff)
	}
	for b, want := range p.oracle.references {
		if got := p.cache.blocks[b].references; int(got) != want {
			t.Errorf("block %d has %d references, want %d", b, got, want)
		}
	}
	for text := range 4 {
		for _, most := range []int{1000, 17} {
			got, want := p.cache.Match(textChain(text), most), 4*len(p.oracle.match(textChain(text), most))
			if got != want {
				t.Errorf("Match(text %d, %d) = %d, want %d", text, most, got, want)
			}
		}
	}
	if c, o := p.cache, p.oracle; c.Used() != o.used() || c.Evictions() != o.evictions {
		t.Errorf("used %d, evictions %d, want %d, %d", c.Used(), c.Evictions(), o.used(), o.evictions)
	}
}

// freeBlocks returns the free queue, front first.
func (c *Cache) freeBlocks() []int32 {
	blocks := []int32{}
	for b := c.blocks[c.end()].next; b != c.end(); b = c.blocks[b].next {
		blocks = append(blocks, b)
	}
	return blocks
}
