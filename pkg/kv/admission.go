// SPDX-License-Identifier: Apache-2.0

package kv

import "windtunnel.dev/windtunnel/pkg/prompt"

// fewHolds is how many segments most sequences hold at most.
const fewHolds = 6

// Admission is what a new sequence wants of the cache.
type Admission struct {
	// Chain is the sequence's full blocks as far as they will ever be. It must
	// not change before Release.
	Chain []prompt.Stretch
	// Cached is how many of its first tokens it takes over: what Match has
	// returned for this chain, right before.
	Cached int
	// Tokens is how many tokens it gets room for. Nobody is admitted unless
	// Reserve tokens would fit too.
	Tokens, Reserve int
	// Withheld keeps its own blocks from being found before Publish: their
	// content is still on its way here.
	Withheld bool
	// Priority is the request's, for the order Priority of free blocks.
	Priority int
}

// Admit gives a new sequence room, or changes nothing and returns false where
// there are not enough free blocks. Blocks that its tokens fill can be found by
// others at once unless they are withheld, as in vLLM, whose scheduler names
// them before they are computed.
func (c *Cache) Admit(a Admission) (Sequence, bool) {
	chain, tokens := a.Chain, a.Tokens
	taken := a.Cached / c.blockTokens
	if taken > 0 && (len(c.path) == 0 || c.stretches.all[c.path[0]].id != chain[0].ID) {
		panic("kv: Admit of what Match has not just found")
	}
	fresh := c.blocksOf(max(tokens, a.Reserve)) - taken
	if fresh > c.free || fresh > c.free-c.idle(chain, taken) {
		return 0, false
	}
	c.admitted++
	at := c.sequences.take()
	q := &c.sequences.all[at]
	*q = sequence{
		chain: chain, held: q.held[:0], admitted: c.admitted, tokens: tokens, withheld: a.Withheld, priority: a.Priority,
		parent: none, current: none, ahead: none,
	}
	if q.held == nil {
		q.held = make([]hold, 0, fewHolds)
	}
	c.takeOver(q, taken)
	c.take(c.blocksOf(tokens) - taken)
	c.settle(at, c.absent)
	return Sequence(at), true
}

// idle returns how many of the first n blocks of a chain, all cached, are free.
func (c *Cache) idle(chain []prompt.Stretch, n int) int {
	idle := 0
	for i := 0; n > 0; i++ {
		t := &c.stretches.all[c.path[i]]
		want := min(chain[i].Blocks, int32(n))
		n -= int(want)
		at := int32(none)
		for block, until := int32(0), int32(0); block < want; block = until {
			at, until = c.after(t, at, block)
			until = min(until, want)
			if c.segments.all[at].references == 0 {
				idle += int(until - block)
			}
		}
	}
	return idle
}

// after returns the segment that a look-up of a block finds, and the block up
// to which it does, where at was what it found for the block before; none for
// the first.
func (c *Cache) after(t *stretch, at, block int32) (next, until int32) {
	if t.copied {
		return c.found(t, block)
	}
	if at == none {
		at = t.first
	} else {
		at = c.segments.all[at].next
	}
	return at, c.segments.all[at].to
}

// takeOver makes the sequence hold the first n blocks of its chain.
func (c *Cache) takeOver(q *sequence, n int) {
	for n > 0 {
		want := min(q.chain[q.at].Blocks, int32(n))
		q.current = c.path[q.at]
		c.holdFirst(q, q.current, want)
		n -= int(want)
		q.advance(want)
	}
}

// holdFirst makes the sequence hold the first n blocks of a stretch.
func (c *Cache) holdFirst(q *sequence, stretch, n int32) {
	at := int32(none)
	for block, until := int32(0), int32(0); block < n; block = until {
		at, until = c.after(&c.stretches.all[stretch], at, block)
		until = min(until, n)
		if c.segments.all[at].from < block {
			c.cut(at, block)
			at = c.segments.all[at].rest
		}
		if until < c.segments.all[at].to {
			c.cut(at, until)
		}
		switch r := c.segments.all[at].references; {
		case r == 0:
			c.unlink(at)
		case r < 0:
			c.unspill(at)
		}
		c.segments.all[at].references++
		if c.segments.all[at].references == 2 {
			c.shared += int(until - block)
		}
		if c.order != LRU {
			c.renew(at, q.priority)
		}
		q.held = append(q.held, hold{at, until - block})
	}
}

// Publish ends what Withheld began: all that fills the sequence's blocks is here.
func (c *Cache) Publish(s Sequence) {
	q := c.running(s)
	if !q.withheld {
		panic("kv: a sequence is published that withholds nothing")
	}
	q.withheld = false
	c.settle(int32(s), unknown)
}
