// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"math/rand/v2"
	"testing"
)

// chainOf returns the identities of n blocks of one text.
func chainOf(text uint64, n int) []uint64 {
	chain := make([]uint64, n)
	id := text*0x9e3779b97f4a7c15 + 1
	for i := range chain {
		id = (id ^ id>>29) * 0xbf58476d1ce4e5b9
		chain[i] = id
	}
	return chain
}

func mustExtend(t *testing.T, c *Cache, a *Allocation, chain []uint64, tokens int) {
	t.Helper()
	if !c.Extend(a, chain, tokens) {
		t.Fatalf("no room for %d tokens; %d of %d blocks are used", tokens, c.Used(), c.Blocks())
	}
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
}

func TestAPromptTakesOverWhatIsCached(t *testing.T) {
	c := New(8, 16, true)
	var first, second Allocation
	chain := chainOf(1, 3)
	mustExtend(t, c, &first, chain, 48)
	c.Release(&first)
	if got := c.Match(chain, 47); got != 32 {
		t.Errorf("Match = %d tokens, want 32: the last token is computed, so its block is too", got)
	}
	mustExtend(t, c, &second, chain, 49)
	if got := c.Used(); got != 4 {
		t.Errorf("%d blocks used, want 4", got)
	}
	if got := c.Evictions(); got != 0 {
		t.Errorf("%d evictions, want none: there were blank blocks", got)
	}
}

func TestRunningSequencesShareBlocks(t *testing.T) {
	c := New(8, 16, true)
	var first, second Allocation
	chain := chainOf(1, 3)
	mustExtend(t, c, &first, chain, 60)
	mustExtend(t, c, &second, chain, 60)
	if got := c.Used(); got != 5 {
		t.Errorf("%d blocks used, want 5: three shared and a last one each", got)
	}
	c.Release(&first)
	if got := c.Used(); got != 4 {
		t.Errorf("%d blocks used after one ended, want 4", got)
	}
}

func TestTailsAreEvictedBeforeHeads(t *testing.T) {
	c := New(4, 16, true)
	var first, second Allocation
	chain := chainOf(1, 4)
	mustExtend(t, c, &first, chain, 64)
	c.Release(&first)
	mustExtend(t, c, &second, chainOf(2, 2), 32)
	if got := c.Match(chain, 64); got != 32 {
		t.Errorf("Match = %d tokens, want the first 32", got)
	}
}

func TestLeastRecentlyUsedGoesFirst(t *testing.T) {
	c := New(4, 16, true)
	var a, b, d Allocation
	mustExtend(t, c, &a, chainOf(1, 2), 32)
	mustExtend(t, c, &b, chainOf(2, 2), 32)
	c.Release(&a)
	c.Release(&b)
	c.Match(chainOf(1, 2), 32) // looking does not refresh
	mustExtend(t, c, &d, chainOf(3, 2), 32)
	if got := c.Match(chainOf(1, 2), 32); got != 0 {
		t.Errorf("the older text still matches %d tokens", got)
	}
	if got := c.Match(chainOf(2, 2), 32); got != 32 {
		t.Errorf("the younger text matches %d tokens, want 32", got)
	}
}

func TestNoRoomChangesNothing(t *testing.T) {
	tests := map[string]struct {
		tokens int
		want   bool
	}{
		"one block less than there is":     {tokens: 48, want: true},
		"all there is":                     {tokens: 64, want: true},
		"one token more than there is":     {tokens: 65, want: false},
		"the hits count as no longer free": {tokens: 80, want: false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := New(4, 16, true)
			var first, second Allocation
			mustExtend(t, c, &first, chainOf(1, 2), 32)
			c.Release(&first)
			if got := c.Extend(&second, chainOf(1, 5), tc.tokens); got != tc.want {
				t.Fatalf("Extend(%d tokens) = %v, want %v", tc.tokens, got, tc.want)
			}
			if !tc.want && (c.Used() != 0 || second.Blocks() != 0 || c.Match(chainOf(1, 2), 32) != 32) {
				t.Error("a refusal changed something")
			}
		})
	}
}

func TestWithoutPrefixCachingNothingIsFound(t *testing.T) {
	c := New(8, 16, false)
	var a Allocation
	mustExtend(t, c, &a, chainOf(1, 3), 48)
	if got := c.Match(chainOf(1, 3), 48); got != 0 {
		t.Errorf("Match = %d tokens, want none", got)
	}
}

func TestGeneratedBlocksAreCached(t *testing.T) {
	c := New(8, 16, true)
	var a Allocation
	chain := chainOf(1, 2)
	mustExtend(t, c, &a, chain[:1], 20)
	mustExtend(t, c, &a, chain, 32)
	c.Release(&a)
	if got := c.Match(chain, 100); got != 32 {
		t.Errorf("Match = %d tokens, want 32", got)
	}
}

// TestAgainstOracle drives the cache and a plain one with the same random
// operations and compares all that can be seen.
func TestAgainstOracle(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		blocks := 1 + r.IntN(24)
		operations := make([]byte, 400)
		for i := range operations {
			operations[i] = byte(r.Uint32())
		}
		compareWithOracle(t, blocks, seed%5 != 0, operations)
	}
}

func FuzzAgainstOracle(f *testing.F) {
	f.Add(uint8(4), true, []byte{0, 1, 2, 3, 255, 128, 64})
	f.Fuzz(func(t *testing.T, blocks uint8, caching bool, operations []byte) {
		compareWithOracle(t, 1+int(blocks)%32, caching, operations)
	})
}

// compareWithOracle reads two bytes an operation: which of four sequences
// acts, and how. A sequence belongs to one of three texts that share a
// beginning, and grows or ends.
func compareWithOracle(t *testing.T, blocks int, caching bool, operations []byte) {
	t.Helper()
	const blockTokens = 4
	c, o := New(blocks, blockTokens, caching), newOracle(blocks, blockTokens, caching)
	var allocations [4]Allocation
	var plain [4]oracleAllocation
	var tokens [4]int
	for i := 0; i+1 < len(operations); i += 2 {
		s, act := int(operations[i])%4, int(operations[i+1])
		chain := append(chainOf(0, 3), chainOf(uint64(1+s%3), 8)...)
		if act%4 == 0 {
			c.Release(&allocations[s])
			o.release(&plain[s])
			tokens[s] = 0
		} else if want := min(tokens[s]+1+act%17, len(chain)*blockTokens+3); want > tokens[s] {
			got, wanted := c.Extend(&allocations[s], chain, want), o.extend(&plain[s], chain, want)
			if got != wanted {
				t.Fatalf("operation %d: Extend = %v, oracle %v", i, got, wanted)
			}
			if got {
				tokens[s] = want
			}
		}
		if err := c.Check(); err != nil {
			t.Fatalf("operation %d: %v", i, err)
		}
		for text := range uint64(4) {
			probe := append(chainOf(0, 3), chainOf(text, 8)...)
			if got, want := c.Match(probe, 1000), o.match(probe, 1000)*blockTokens; got != want {
				t.Fatalf("operation %d: Match(text %d) = %d, oracle %d", i, text, got, want)
			}
		}
		if c.Used() != o.used() || c.Evictions() != o.evictions {
			t.Fatalf("operation %d: used %d, evictions %d; oracle %d, %d", i, c.Used(), c.Evictions(), o.used(), o.evictions)
		}
	}
}

func BenchmarkSequence(b *testing.B) {
	c := New(26312, 16, true)
	var a Allocation
	texts := make([][]uint64, 64)
	for i := range texts {
		texts[i] = chainOf(uint64(i), 750)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		chain := texts[i%len(texts)]
		if !c.Extend(&a, chain, 750*16) {
			b.Fatal("no room")
		}
		c.Release(&a)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/750, "ns/block")
}
