// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEvictFreeEvictsInQueueOrder(t *testing.T) {
	for name, tc := range map[string]struct {
		n, want        int
		blank          int
		older, younger int // tokens
	}{
		"none":                 {n: 0, want: 0, blank: 4, older: 32, younger: 32},
		"the end of the older": {n: 1, want: 1, blank: 5, older: 16, younger: 32},
		"all of the older":     {n: 2, want: 2, blank: 6, older: 0, younger: 32},
		"some of the younger":  {n: 3, want: 3, blank: 7, older: 0, younger: 16},
		"more than there is":   {n: 9, want: 4, blank: 8, older: 0, younger: 0},
	} {
		t.Run(name, func(t *testing.T) {
			c := NewCache(8, blockTokens, true, LRU)
			older, younger := chainOf([2]int{1, 32}), chainOf([2]int{2, 32})
			a, b := mustAdmit(t, c, older, 32), mustAdmit(t, c, younger, 32)
			c.Release(a)
			c.Release(b)
			if got := c.EvictFree(tc.n); got != tc.want || c.Blank() != tc.blank || int(c.Evictions()) != tc.want {
				t.Errorf("Empty(%d) = %d, %d blank blocks and %d evictions, want %d and %d", tc.n, got, c.Blank(), c.Evictions(), tc.want, tc.blank)
			}
			checkInvariants(t, c)
			wantMatch(t, c, "the older text", older, 32, tc.older)
			wantMatch(t, c, "the younger text", younger, 32, tc.younger)
		})
	}
}

func TestEvictFreeKeepsHeldBlocks(t *testing.T) {
	c := NewCache(4, blockTokens, true, LRU)
	held := chainOf([2]int{1, 48})
	mustAdmit(t, c, held, 48)
	if got := c.EvictFree(4); got != 0 {
		t.Errorf("Empty(4) = %d, want 0: all that has content is held", got)
	}
	wantMatch(t, c, "what is held", held, 48, 48)
}

func TestSharedCountsBlocksOfSeveralSequences(t *testing.T) {
	c := NewCache(8, blockTokens, true, LRU)
	chain := chainOf([2]int{1, 48})
	first := mustAdmit(t, c, chain, 48)
	second := mustAdmit(t, c, chain, 48) // takes over all but the last block
	if c.Shared() != 2 || c.SharedBy(first) != 2 || c.SharedBy(second) != 2 {
		t.Errorf("%d blocks are shared, %d and %d by the two, want 2 each time", c.Shared(), c.SharedBy(first), c.SharedBy(second))
	}
	c.Release(first)
	if c.Shared() != 0 || c.SharedBy(second) != 0 {
		t.Errorf("%d blocks are shared when one has ended, want none", c.Shared())
	}
}

func TestNextEvicted(t *testing.T) {
	c := NewCache(10, blockTokens, true, LRU)
	one, other := chainOf([2]int{1, 48}), chainOf([2]int{2, 48})
	c.Release(mustAdmit(t, c, one, 48))
	c.Release(mustAdmit(t, c, other, 48))
	changes := c.FreeChanges()
	want := []Span{{one[0].ID, 3, 0}, {other[0].ID, 3, 2}}
	if diff := cmp.Diff(want, c.NextEvicted(4, nil)); diff != "" {
		t.Errorf("what is evicted first (-want +got):\n%s", diff)
	}
	if c.FreeChanges() != changes {
		t.Error("a look changes the free blocks")
	}
	a := mustAdmit(t, c, one, 48)
	if c.FreeChanges() == changes {
		t.Error("an admission does not change the free blocks")
	}
	// The last block of a prompt is always computed, so the cached one stays free.
	if diff := cmp.Diff([]Span{{one[0].ID, 3, 2}, {other[0].ID, 3, 0}}, c.NextEvicted(10, nil)); diff != "" {
		t.Errorf("what the sequence does not hold (-want +got):\n%s", diff)
	}
	c.Release(a)
	checkInvariants(t, c)
}

func TestTakeEvicted(t *testing.T) {
	c := NewCache(4, blockTokens, true, LRU)
	chain := chainOf([2]int{1, 64})
	c.RecordEvictions()
	c.Release(mustAdmit(t, c, chain, 64))
	mustAdmit(t, c, chainOf([2]int{2, 48}), 48)
	id := chain[0].ID
	if diff := cmp.Diff([]Span{{id, 4, 1}}, c.TakeEvicted(nil)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := c.TakeEvicted(nil); len(got) > 0 {
		t.Errorf("%v once more", got)
	}
}
