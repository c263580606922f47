// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/kv/kvtest"
	"windtunnel.dev/windtunnel/pkg/prompt"
)

// recordedEvents records the calls of an EventListener.
type recordedEvents []recordedEvent

type recordedEvent struct {
	span   Span
	stored bool
}

func (c *recordedEvents) BlocksStored(id uint64, from, to int32) {
	*c = append(*c, recordedEvent{Span{id, from, to}, true})
}

func (c *recordedEvents) BlocksRemoved(id uint64, from, to int32) {
	*c = append(*c, recordedEvent{Span{id, from, to}, false})
}

// storedBlocks is the blocks that an EventListener was told are stored.
type storedBlocks map[Span]bool

func (i storedBlocks) BlocksStored(id uint64, from, to int32) {
	for b := from; b < to; b++ {
		if i[Span{ID: id, From: b}] {
			panic(fmt.Sprintf("block %d of %x is stored twice", b, id))
		}
		i[Span{ID: id, From: b}] = true
	}
}

func (i storedBlocks) BlocksRemoved(id uint64, from, to int32) {
	for b := from; b < to; b++ {
		if !i[Span{ID: id, From: b}] {
			panic(fmt.Sprintf("block %d of %x is removed twice", b, id))
		}
		delete(i, Span{ID: id, From: b})
	}
}

// of returns the changes block by block, in a fixed order,
// and forgets them.
func (c *recordedEvents) of(n blockIdentities) []string {
	var all []kvtest.Change
	for _, change := range *c {
		for _, identity := range n.of([]Span{change.span}) {
			all = append(all, kvtest.Change{Identity: identity, Stored: change.stored})
		}
	}
	*c = nil
	return formatEvents(all)
}

func formatEvents(all []kvtest.Change) []string {
	var lines []string
	for _, c := range all {
		sign := "-"
		if c.Stored {
			sign = "+"
		}
		lines = append(lines, fmt.Sprintf("%s%x", sign, c.Identity))
	}
	slices.Sort(lines)
	return lines
}

// A sequence in decode registers its blocks when they are full, not at the next look-up.
func TestListenerHearsDecodedBlocksWhenFull(t *testing.T) {
	c := NewCache(10, 4, true, LRU)
	var seen recordedEvents
	c.SetListener(&seen)
	text := prompt.Prompt{}.Append(prompt.Extent{Source: 1, Tokens: 16})
	chain := text.FullStretches(nil, 4)
	s, _ := c.Admit(Admission{Chain: chain, Tokens: 5})
	c.StartDecode(s)
	for range 7 {
		c.Step()
	}
	want := recordedEvents{
		{Span{chain[0].ID, 0, 1}, true},
		{Span{chain[0].ID, 1, 2}, true},
		{Span{chain[0].ID, 2, 3}, true},
	}
	if diff := cmp.Diff(want, seen, cmp.AllowUnexported(recordedEvent{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The eviction of one of two copies of a block is no event.
func TestListenerHearsRemovalOfLastCopy(t *testing.T) {
	c := NewCache(4, 4, true, LRU)
	var seen recordedEvents
	c.SetListener(&seen)
	chain := prompt.Prompt{}.Append(prompt.Extent{Source: 1, Tokens: 4}).FullStretches(nil, 4)
	var copies [2]Sequence
	for i := range copies {
		copies[i], _ = c.Admit(Admission{Chain: chain, Tokens: 4})
	}
	c.Release(copies[0])
	c.Release(copies[1])
	c.EvictFree(1)
	seen = nil
	c.EvictFree(1)
	want := recordedEvents{{Span{chain[0].ID, 0, 1}, false}}
	if diff := cmp.Diff(want, seen, cmp.AllowUnexported(recordedEvent{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
