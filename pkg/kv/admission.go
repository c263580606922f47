// SPDX-License-Identifier: Apache-2.0

package kv

import "windtunnel.dev/windtunnel/pkg/prompt"

// fewHolds is how many segments most sequences hold at most.
const fewHolds = 6

// Admit gives a new sequence room for its first tokens tokens, or changes
// nothing and returns false where there are not enough free blocks. It takes
// over the first cached of them: what Match has returned for this chain, right
// before. No sequence is admitted either unless reserve tokens would fit.
//
// chain is the sequence's full blocks as far as they will ever be; it must not
// change before Release. Blocks that tokens fills can be found by others at once, as in
// vLLM, whose scheduler names them before they are computed.
func (c *Cache) Admit(chain []prompt.Stretch, cached, tokens, reserve int) (Sequence, bool) {
	taken := cached / c.blockTokens
	fresh := c.blocksOf(max(tokens, reserve)) - taken
	if fresh > c.free || fresh > c.free-c.idle(chain, taken) {
		return 0, false
	}
	c.admitted++
	at := c.sequences.take()
	q := &c.sequences.all[at]
	*q = sequence{
		chain: chain, held: q.held[:0], admitted: c.admitted, tokens: tokens,
		parent: none, current: none, ahead: none,
	}
	if q.held == nil {
		q.held = make([]hold, 0, fewHolds)
	}
	c.takeOver(q, taken)
	c.take(c.blocksOf(tokens) - taken)
	c.settle(at)
	return Sequence(at), true
}

// idle returns how many of the first n blocks of a chain, all cached, are free.
func (c *Cache) idle(chain []prompt.Stretch, n int) int {
	idle := 0
	for i := 0; n > 0; i++ {
		t := &c.stretches.all[c.path[i]]
		want := min(int(chain[i].Blocks), n)
		n -= want
		for block := int32(0); block < int32(want); {
			at, until := c.lookUp(t, block)
			until = min(until, int32(want))
			if c.segments.all[at].references == 0 {
				idle += int(until - block)
			}
			block = until
		}
	}
	return idle
}

// lookUp is found, in short where there are no copies and the first segment
// is asked for.
func (c *Cache) lookUp(t *stretch, block int32) (at, until int32) {
	if s := &c.segments.all[t.first]; !t.copied && s.from <= block && block < s.to {
		return t.first, s.to
	}
	return c.found(t, block)
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
	for block := int32(0); block < n; {
		at, until := c.lookUp(&c.stretches.all[stretch], block)
		until = min(until, n)
		if c.segments.all[at].from < block {
			c.cut(at, block)
			at = c.segments.all[at].rest
		}
		if until < c.segments.all[at].to {
			c.cut(at, until)
		}
		if c.segments.all[at].references == 0 {
			c.unlink(at)
		}
		c.segments.all[at].references++
		q.held = append(q.held, hold{at, until - block})
		block = until
	}
}
