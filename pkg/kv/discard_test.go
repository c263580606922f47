// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/paniccheck"
)

func wantBlank(t *testing.T, c *Cache, what string, want int) {
	t.Helper()
	checkInvariants(t, c)
	if got := c.Blank(); got != want {
		t.Errorf("%s: %d free blocks without content, want %d", what, got, want)
	}
}

// admitUncached admits a sequence without cached blocks.
func admitUncached(t *testing.T, c *Cache, a Admission) Sequence {
	t.Helper()
	c.Match(a.Chain, 0)
	s, ok := c.Admit(a)
	if !ok {
		t.Fatal("no room")
	}
	checkInvariants(t, c)
	return s
}

func TestDiscardDropsUnsharedBlocks(t *testing.T) {
	c := NewCache(10, blockTokens, true, LRU)
	shared, longer := chainOf([2]int{1, 32}), chainOf([2]int{1, 32}, [2]int{2, 40})
	held := mustAdmit(t, c, shared, 33)
	c.Discard(mustAdmit(t, c, longer, 72))
	wantMatch(t, c, "the other one's", longer, 72, 32)
	wantBlank(t, c, "all blocks but those and its last one", 7)
	c.Discard(held)
	wantMatch(t, c, "nobody holds it any more", shared, 32, 0)
	wantBlank(t, c, "all", 10)
}

func TestDiscardKeepsPrefixesOfCachedBlocks(t *testing.T) {
	c := NewCache(20, blockTokens, true, LRU)
	one, other := chainOf([2]int{1, 80}, [2]int{2, 32}), chainOf([2]int{1, 48}, [2]int{3, 64})
	// The other one follows three blocks of the one, and is cached.
	first := mustAdmit(t, c, one, 112)
	c.Release(mustAdmit(t, c, other, 112))
	c.Discard(first)
	wantMatch(t, c, "the one up to where they part", one, 112, 48)
	wantMatch(t, c, "the other one", other, 112, 112)
	wantBlank(t, c, "but seven", 13)
}

func TestDiscardKeepsPrefixesOfDecodes(t *testing.T) {
	for name, tc := range map[string]struct {
		parts [][2]int
		steps int
		blank int
	}{
		// The one that grows has two blocks, one that it fills and, after 17
		// steps, a fourth. The first block of the copy comes before one that stays.
		"a text of its own, nothing is there yet": {[][2]int{{1, 32}, {2, 64}}, 15, 6},
		"a text of its own, a block is there":     {[][2]int{{1, 32}, {2, 64}}, 16, 5},
		"the same text, nothing is there yet":     {[][2]int{{1, 96}}, 15, 6},
		"the same text, a block is there":         {[][2]int{{1, 96}}, 17, 4},
	} {
		t.Run(name, func(t *testing.T) {
			c := NewCache(10, blockTokens, true, LRU)
			chain := chainOf(tc.parts...)
			grows := mustAdmit(t, c, chain, 32)
			copies := admitUncached(t, c, Admission{Chain: chain, Tokens: 32})
			c.StartDecode(grows)
			for range tc.steps {
				c.Step()
			}
			c.Discard(copies)
			wantBlank(t, c, "after the copy went", tc.blank)
		})
	}
}

func TestPublishMakesWithheldBlocksFound(t *testing.T) {
	c := NewCache(10, blockTokens, true, LRU)
	chain := chainOf([2]int{1, 96})
	c.Release(mustAdmit(t, c, chain, 16))
	s, _ := c.Admit(Admission{Chain: chain, Cached: c.Match(chain, 16), Tokens: 48, Withheld: true})
	wantMatch(t, c, "what it took over", chain, 96, 16)
	if !c.Extend(s, 64) {
		t.Fatal("no room")
	}
	wantMatch(t, c, "as before", chain, 96, 16)
	wantUsed(t, c, "as it has room for", 4)
	c.Publish(s)
	wantMatch(t, c, "all of it", chain, 96, 64)
	c.StartDecode(s)
	c.Release(s)
	wantMatch(t, c, "all of it", chain, 96, 64)
	checkInvariants(t, c)
}

func TestReleaseOfWithheldSequenceLeavesBlankBlocks(t *testing.T) {
	for name, end := range map[string]func(*Cache, Sequence){
		"released": (*Cache).Release, "discarded": (*Cache).Discard,
	} {
		t.Run(name, func(t *testing.T) {
			c := NewCache(10, blockTokens, true, LRU)
			chain := chainOf([2]int{1, 96})
			c.Release(mustAdmit(t, c, chain, 16))
			s, _ := c.Admit(Admission{Chain: chain, Cached: c.Match(chain, 16), Tokens: 48, Withheld: true})
			end(c, s)
			want := map[string]int{"released": 9, "discarded": 10}[name]
			wantBlank(t, c, "none of its own was computed", want)
			wantUsed(t, c, "it has ended", 0)
		})
	}
}

func TestWithheldSequenceCannotDecode(t *testing.T) {
	c := NewCache(10, blockTokens, true, LRU)
	s := admitUncached(t, c, Admission{Chain: chainOf([2]int{1, 96}), Tokens: 48, Withheld: true})
	defer paniccheck.Want(t, "no panic")
	c.StartDecode(s)
}
