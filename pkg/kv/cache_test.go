// SPDX-License-Identifier: Apache-2.0

package kv

import "testing"

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

func TestOneOfTwoThatComputeTheSameBlockIsFound(t *testing.T) {
	c := New(4, 16, true)
	chain := chainOf(1, 1)
	var first, second, other Allocation
	// Of a prompt of one block the last token is computed, so nothing is shared.
	mustExtend(t, c, &first, chain, 16)
	mustExtend(t, c, &second, chain, 16)
	if got := c.Used(); got != 2 {
		t.Errorf("%d blocks used, want one for each", got)
	}
	c.Release(&second)
	if got := c.Match(chain, 16); got != 16 {
		t.Errorf("Match = %d tokens after the second ended, want 16: the first one carries the identity", got)
	}
	mustExtend(t, c, &second, chainOf(2, 3), 48) // takes the anonymous block, too
	if got := c.Evictions(); got != 0 {
		t.Errorf("%d evictions, want none: the anonymous block could not be found", got)
	}
	c.Release(&first)
	mustExtend(t, c, &other, chainOf(3, 1), 16)
	if got := c.Match(chain, 16); got != 0 {
		t.Errorf("Match = %d tokens after the carrier was reused, want none", got)
	}
}

func TestAPreemptedSequenceFindsItsOwnBlocks(t *testing.T) {
	c := New(8, 16, true)
	var a Allocation
	chain := chainOf(1, 3)
	mustExtend(t, c, &a, chain, 40)
	mustExtend(t, c, &a, chain, 50)
	c.Release(&a)
	if got := c.Match(chain, 49); got != 48 {
		t.Errorf("Match = %d tokens, want 48: prompt and generated tokens", got)
	}
	mustExtend(t, c, &a, chain, 50)
	if got := c.Used(); got != 4 {
		t.Errorf("%d blocks used, want 4", got)
	}
}

func TestBlocksOfAChunkAreFoundBeforeTheRestIsComputed(t *testing.T) {
	c := New(8, 16, true)
	var a Allocation
	chain := chainOf(1, 4)
	mustExtend(t, c, &a, chain, 40)
	if got := c.Match(chain, 64); got != 32 {
		t.Errorf("Match = %d tokens, want the two full blocks", got)
	}
}

func TestExtendAtTheEdges(t *testing.T) {
	tests := map[string]struct {
		tokens []int
		want   int // blocks
	}{
		"no tokens need no block":                       {tokens: []int{0}, want: 0},
		"the first token opens a block":                 {tokens: []int{1}, want: 1},
		"a full block is one block":                     {tokens: []int{16}, want: 1},
		"one token more opens another":                  {tokens: []int{16, 17}, want: 2},
		"room once given stays":                         {tokens: []int{48, 1}, want: 3},
		"a token at a time comes to the same as a leap": {tokens: []int{31, 32, 33}, want: 3},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := New(8, 16, true)
			var a Allocation
			for _, tokens := range tc.tokens {
				mustExtend(t, c, &a, chainOf(1, 4), tokens)
			}
			if a.Blocks() != tc.want || c.Used() != tc.want {
				t.Errorf("%d blocks, %d used, want %d", a.Blocks(), c.Used(), tc.want)
			}
		})
	}
}

func TestMatchIsBoundedByItsTokens(t *testing.T) {
	c := New(8, 16, true)
	var a Allocation
	mustExtend(t, c, &a, chainOf(1, 3), 48)
	tests := map[string]struct{ maxTokens, want int }{
		"less than nothing":      {maxTokens: -40, want: 0},
		"nothing":                {maxTokens: 0, want: 0},
		"short of one block":     {maxTokens: 15, want: 0},
		"one block":              {maxTokens: 16, want: 16},
		"short of three blocks":  {maxTokens: 47, want: 32},
		"more than there is":     {maxTokens: 1000, want: 48},
		"more than is in chains": {maxTokens: 1 << 40, want: 48},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := c.Match(chainOf(1, 3), tc.maxTokens); got != tc.want {
				t.Errorf("Match(%d tokens) = %d, want %d", tc.maxTokens, got, tc.want)
			}
		})
	}
}

func TestIdentitiesThatShareTheirLowHalfAreToldApart(t *testing.T) {
	c := New(8, 1, true)
	var a Allocation
	chain := []uint64{7, 1<<32 | 7, 2<<32 | 7, 0, 1 << 63}
	mustExtend(t, c, &a, chain, 5)
	if got := c.Match(chain, 5); got != 5 {
		t.Errorf("Match = %d tokens, want 5", got)
	}
	if got := c.Match([]uint64{3<<32 | 7}, 1); got != 0 {
		t.Errorf("Match = %d tokens for an identity that was never there", got)
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	c := New(64, 16, true)
	texts := [][]uint64{chainOf(1, 40), chainOf(2, 40), chainOf(3, 40)}
	var a Allocation
	turn := 0
	sequence := func() {
		chain := texts[turn%len(texts)]
		turn++
		for tokens := 100; tokens <= 640; tokens += 90 {
			if c.Match(chain, tokens) < 0 || !c.Extend(&a, chain, tokens) {
				t.Fatal("no room")
			}
		}
		c.Release(&a)
	}
	sequence()
	if n := testing.AllocsPerRun(100, sequence); n != 0 {
		t.Errorf("%v allocations a sequence, want none", n)
	}
}

func TestImpossibleCachesPanic(t *testing.T) {
	for name, size := range map[string][2]int{
		"no blocks":         {0, 16},
		"too many blocks":   {1<<30 + 1, 16},
		"blocks of nothing": {8, 0},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			New(size[0], size[1], true)
		})
	}
}
