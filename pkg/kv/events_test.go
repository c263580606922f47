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

// changes notes what a EventListener is told.
type changes []change

type change struct {
	span  Span
	found bool
}

func (c *changes) BlocksStored(id uint64, from, to int32) {
	*c = append(*c, change{Span{id, from, to}, true})
}

func (c *changes) BlocksRemoved(id uint64, from, to int32) {
	*c = append(*c, change{Span{id, from, to}, false})
}

// inventory is the blocks that a EventListener is told are there.
type inventory map[Span]bool

func (i inventory) BlocksStored(id uint64, from, to int32) {
	for b := from; b < to; b++ {
		if i[Span{ID: id, From: b}] {
			panic(fmt.Sprintf("block %d of %x is found again", b, id))
		}
		i[Span{ID: id, From: b}] = true
	}
}

func (i inventory) BlocksRemoved(id uint64, from, to int32) {
	for b := from; b < to; b++ {
		if !i[Span{ID: id, From: b}] {
			panic(fmt.Sprintf("block %d of %x is lost again", b, id))
		}
		delete(i, Span{ID: id, From: b})
	}
}

// of returns the changes block by block, in some order that is always the same,
// and forgets them.
func (c *changes) of(n names) []string {
	var all []kvtest.Change
	for _, change := range *c {
		for _, identity := range n.of([]Span{change.span}) {
			all = append(all, kvtest.Change{Identity: identity, Stored: change.found})
		}
	}
	*c = nil
	return changesOf(all)
}

func changesOf(all []kvtest.Change) []string {
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

// A sequence in decode names its blocks when they are full, and not when somebody
// asks for them.
func TestBlocksThatDecodeFillsAreTold(t *testing.T) {
	c := NewCache(10, 4, true, LRU)
	var seen changes
	c.SetListener(&seen)
	text := prompt.Prompt{}.Append(prompt.Extent{Source: 1, Tokens: 16})
	chain := text.FullStretches(nil, 4)
	s, _ := c.Admit(Admission{Chain: chain, Tokens: 5})
	c.StartDecode(s)
	for range 7 {
		c.Step()
	}
	want := changes{
		{Span{chain[0].ID, 0, 1}, true},
		{Span{chain[0].ID, 1, 2}, true},
		{Span{chain[0].ID, 2, 3}, true},
	}
	if diff := cmp.Diff(want, seen, cmp.AllowUnexported(change{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Of two copies of a block, the first to go says nothing.
func TestABlockIsLostWithItsLastCopy(t *testing.T) {
	c := NewCache(4, 4, true, LRU)
	var seen changes
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
	want := changes{{Span{chain[0].ID, 0, 1}, false}}
	if diff := cmp.Diff(want, seen, cmp.AllowUnexported(change{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
