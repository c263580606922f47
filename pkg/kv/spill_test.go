// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSpilledBlocksCanBeReused(t *testing.T) {
	c := NewCache(10, blockTokens, true, LRU)
	one, other := chainOf([2]int{1, 48}), chainOf([2]int{2, 48})
	c.Release(mustAdmit(t, c, one, 48))
	c.Release(mustAdmit(t, c, other, 48))
	s, spans := c.BeginSpill(4, nil)
	want := []Span{{one[0].ID, 3, 0}, {other[0].ID, 3, 2}}
	if diff := cmp.Diff(want, spans); diff != "" {
		t.Errorf("what is reused first (-want +got):\n%s", diff)
	}
	if c.Free() != 6 || c.Used() != 0 || c.Spilling() != 4 || c.Blank() != 4 {
		t.Errorf("%d free, %d of them blank, %d used, %d spilling", c.Free(), c.Blank(), c.Used(), c.Spilling())
	}
	a := mustAdmit(t, c, one, 33)
	wantUsed(t, c, "two blocks taken over and a new one", 3)
	c.EndSpill(s)
	wantMatch(t, c, "the two", one, 48, 32)
	wantMatch(t, c, "up to what was spilled", other, 48, 32)
	wantBlank(t, c, "three and the two let go of", 5)
	c.Release(a)
	checkInvariants(t, c)
}

func TestSpilledBlocksAreNotFree(t *testing.T) {
	c := NewCache(4, blockTokens, true, LRU)
	chain := chainOf([2]int{1, 64})
	c.Release(mustAdmit(t, c, chain, 64))
	c.BeginSpill(3, nil)
	if _, ok := c.Admit(Admission{Chain: chainOf([2]int{2, 32}), Tokens: 32}); ok {
		t.Error("two blocks were given of one that is free")
	}
	checkInvariants(t, c)
}

func TestEvictionForgetsSpilledBlocks(t *testing.T) {
	c := NewCache(4, blockTokens, true, LRU)
	chain := chainOf([2]int{1, 64})
	c.Release(mustAdmit(t, c, chain, 64))
	s, _ := c.BeginSpill(2, nil)
	wantMatch(t, c, "spilled blocks too", chain, 64, 64)
	mustAdmit(t, c, chainOf([2]int{2, 16}), 16)
	wantMatch(t, c, "up to the evicted block", chain, 64, 16)
	if c.Spilling() != 2 {
		t.Errorf("%d blocks spilling, want 2", c.Spilling())
	}
	c.EndSpill(s)
	wantBlank(t, c, "both", 2)
}

func TestSpillsEndInAnyOrder(t *testing.T) {
	c := NewCache(4, blockTokens, true, LRU)
	chain := chainOf([2]int{1, 64})
	c.Release(mustAdmit(t, c, chain, 64))
	first, _ := c.BeginSpill(2, nil)
	second, _ := c.BeginSpill(1, nil)
	c.EndSpill(second)
	wantMatch(t, c, "nothing behind it can be reached", chain, 64, 16)
	wantBlank(t, c, "the second one's", 1)
	c.EndSpill(first)
	wantBlank(t, c, "the first one's too", 3)
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
