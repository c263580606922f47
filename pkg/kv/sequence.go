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
	// withheld says that its own blocks are not to be found yet.
	withheld bool
	priority int
	// ahead is the stretch that waits for this sequence's blocks, or none;
	// eager says that it names them in each step.
	ahead int32
	eager bool
	// place is where it stands in growth.filling, where somebody watches.
	place int32
}

// hold is blocks consecutive blocks that begin with a segment. Where the
// segment has been cut since, its rest holds the others.
type hold struct{ segment, blocks int32 }

// advance moves the sequence on by blocks of its current stretch.
func (q *sequence) advance(blocks int32) {
	q.named += blocks
	q.into += blocks
	if q.into == q.chain[q.at].Blocks {
		q.at, q.into = q.at+1, 0
		q.parent, q.current = q.current, none
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
	c.settle(int32(s), unknown)
	return true
}

// ExtendNeeds returns how many free blocks Extend would take.
func (c *Cache) ExtendNeeds(s Sequence, tokens int) int {
	q := c.running(s)
	if q.decoding {
		panic("kv: a sequence in decode is to be extended")
	}
	return max(0, c.blocksOf(tokens)-c.blocksOf(q.tokens))
}

func (c *Cache) running(s Sequence) *sequence {
	q := &c.sequences.all[s]
	if q.admitted == 0 {
		panic(fmt.Sprintf("kv: sequence %d is not running", s))
	}
	return q
}
