// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/prompt"
)

// Sequence is a running sequence, by the number that Admit gave it. Numbers
// are used again after Release.
type Sequence int32

// sequence is the blocks of one running sequence: those that segments hold,
// from the first on, and behind them some that have no name. Without prefix
// caching none has a name; with it, those that are not full.
type sequence struct {
	chain []prompt.Stretch
	// admitted numbers sequences in order of admission.
	admitted int64
	held     []hold
	// named is how many blocks segments hold. at and into say where in the
	// chain the next one stands.
	named    int32
	at, into int32
	// parent is the stretch before that place, current the one it is in, if
	// some of it is held.
	parent, current int32

	// tokens is what there is room for; in decode that is start plus the
	// steps so far.
	tokens   int
	start    int64
	decoding bool
	// ahead is the stretch that waits for this sequence's blocks, or none;
	// eager says that it names them in each step.
	ahead int32
	eager bool
}

// hold is blocks consecutive blocks that begin with a segment. Where the
// segment has been cut since, its rest holds the others.
type hold struct{ segment, blocks int32 }

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

// advance moves the sequence on by blocks of its current stretch.
func (q *sequence) advance(blocks int32) {
	q.named += blocks
	q.into += blocks
	if q.into == q.chain[q.at].Blocks {
		q.at, q.into = q.at+1, 0
		q.parent, q.current = q.current, none
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

// Extend gives the sequence room for its first tokens tokens, or changes
// nothing and returns false where there are not enough free blocks. It never
// takes room away. The sequence must not be in decode.
func (c *Cache) Extend(s Sequence, tokens int) bool {
	q := c.running(s)
	if q.decoding {
		panic("kv: a sequence in decode is extended")
	}
	if tokens <= q.tokens {
		return true
	}
	fresh := c.blocksOf(tokens) - c.blocksOf(q.tokens)
	if fresh > c.free {
		return false
	}
	if fresh > 0 {
		c.take(fresh)
	}
	q.tokens = tokens
	c.settle(int32(s))
	return true
}

// Needs returns how many free blocks Extend would take.
func (c *Cache) Needs(s Sequence, tokens int) int {
	return max(0, c.blocksOf(tokens)-c.blocksOf(c.running(s).tokens))
}

func (c *Cache) running(s Sequence) *sequence {
	q := &c.sequences.all[s]
	if q.admitted == 0 {
		panic(fmt.Sprintf("kv: sequence %d is not running", s))
	}
	return q
}

// settle names the blocks that the sequence's tokens fill.
func (c *Cache) settle(at int32) {
	if !c.caching {
		return
	}
	q := &c.sequences.all[at]
	full := int32(q.tokens / c.blockTokens)
	for q.named < full && int(q.at) < len(q.chain) {
		if q.current == none {
			q.current = c.open(q.parent, q.chain[q.at].ID)
		}
		if grower := c.stretches.all[q.current].grower; grower != at {
			c.disturb(q.current)
		}
		n := min(full-q.named, q.chain[q.at].Blocks-q.into)
		c.name(q, q.current, n)
		q.advance(n)
	}
}

// name gives the sequence's next n blocks their name. Those of which there is a
// copy already make a segment of their own.
func (c *Cache) name(q *sequence, stretch, n int32) {
	from, to := q.into, q.into+n
	if end := c.stretches.all[stretch].end; from < end {
		middle := min(end, to)
		q.held = append(q.held, hold{c.append(stretch, from, middle), middle - from})
		from = middle
	}
	if from == to {
		return
	}
	if c.lengthen(q, stretch, from, to) {
		return
	}
	q.held = append(q.held, hold{c.append(stretch, from, to), to - from})
}

// lengthen adds the blocks [from, to) to the sequence's last segment, if that
// is its own and ends there.
func (c *Cache) lengthen(q *sequence, stretch, from, to int32) bool {
	if len(q.held) == 0 {
		return false
	}
	h := &q.held[len(q.held)-1]
	s := &c.segments.all[h.segment]
	if s.stretch != stretch || s.to != from || s.references != 1 || s.len() != h.blocks {
		return false
	}
	s.to = to
	h.blocks += to - from
	c.stretches.all[stretch].end = to
	return true
}

// Release frees the sequence's blocks, last one first. Those that other
// sequences hold stay theirs.
func (c *Cache) Release(s Sequence) {
	q := c.running(s)
	if q.decoding {
		c.Pause(s)
		q = &c.sequences.all[s]
	}
	if unnamed := c.blocksOf(q.tokens) - int(q.named); unnamed > 0 {
		c.pushBlank(unnamed)
	}
	for i := len(q.held) - 1; i >= 0; i-- {
		c.letGo(q.held[i])
	}
	q.admitted, q.chain = 0, nil
	c.sequences.release(int32(s))
}

// letGo frees the blocks of a hold, last one first.
func (c *Cache) letGo(h hold) {
	if s := &c.segments.all[h.segment]; s.len() == h.blocks {
		c.drop(h.segment)
		return
	}
	c.scratch = c.scratch[:0]
	for at := h.segment; h.blocks > 0; at = c.segments.all[at].rest {
		c.scratch = append(c.scratch, hold{segment: at})
		h.blocks -= c.segments.all[at].len()
	}
	for i := len(c.scratch) - 1; i >= 0; i-- {
		c.drop(c.scratch[i].segment)
	}
}

func (c *Cache) drop(at int32) {
	s := &c.segments.all[at]
	s.references--
	if s.references == 0 {
		c.push(at)
	}
}
