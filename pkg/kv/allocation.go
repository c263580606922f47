// SPDX-License-Identifier: Apache-2.0

package kv

// Allocation is the blocks of one running sequence, in the order of its
// tokens. The zero value holds none. After Release it may serve another
// sequence; it keeps its memory, so that reuse allocates nothing.
type Allocation struct {
	blocks []int32
	// settled is how many leading blocks are full and have had their chance
	// to be named.
	settled int
}

// Blocks returns how many blocks the sequence holds.
func (a *Allocation) Blocks() int { return len(a.blocks) }

// Extend gives the sequence room for its first tokens tokens, or changes
// nothing and returns false where there are not enough free blocks. It never
// takes room away.
//
// An empty allocation first takes over the blocks that Match finds for
// tokens-1: the last token is always computed. Those that no sequence held are
// no longer free, so they leave less room for the rest.
//
// chain holds the identities of the sequence's full blocks as far as they are
// known, all different, and grows as the sequence does. Blocks that tokens
// fills can be found by others at once, as in vLLM, whose scheduler names them
// before they are computed.
func (c *Cache) Extend(a *Allocation, chain []uint64, tokens int) bool {
	held, idle := len(a.blocks), 0
	if held == 0 {
		idle = c.collect(a, c.reusable(chain, tokens-1))
	}
	fresh := (tokens+c.blockTokens-1)/c.blockTokens - len(a.blocks)
	if fresh > c.free-idle {
		a.blocks = a.blocks[:held]
		return false
	}
	for _, b := range a.blocks[held:] {
		c.hold(b)
	}
	a.settled += len(a.blocks) - held
	if fresh > 0 {
		c.take(a, fresh)
	}
	if c.caching {
		c.settle(a, chain, tokens)
	}
	return true
}

// collect appends the leading cached blocks of a chain to an allocation,
// without holding them, and returns how many of them are free.
func (c *Cache) collect(a *Allocation, chain []uint64) int {
	idle := 0
	for _, identity := range chain {
		b, ok := c.find(identity)
		if !ok {
			break
		}
		a.blocks = append(a.blocks, b)
		if c.blocks[b].references == 0 {
			idle++
		}
	}
	return idle
}

func (c *Cache) hold(b int32) {
	if c.blocks[b].references == 0 {
		c.unlink(b)
	}
	c.blocks[b].references++
}

// take appends the first n blocks of the free queue to an allocation, without
// their identities.
func (c *Cache) take(a *Allocation, n int) {
	first := len(a.blocks)
	a.blocks = c.popFront(a.blocks, n)
	for _, b := range a.blocks[first:] {
		c.blocks[b].references = 1
		if c.blocks[b].named {
			c.forget(b)
			c.evictions++
		}
	}
}

// settle names the blocks that tokens fills.
func (c *Cache) settle(a *Allocation, chain []uint64, tokens int) {
	full := min(tokens/c.blockTokens, len(chain))
	for ; a.settled < full; a.settled++ {
		c.name(a.blocks[a.settled], chain[a.settled])
	}
}

// Release frees the sequence's blocks, last one first. Those that other
// sequences hold stay theirs.
func (c *Cache) Release(a *Allocation) {
	for i := len(a.blocks) - 1; i >= 0; i-- {
		b := a.blocks[i]
		c.blocks[b].references--
		if c.blocks[b].references == 0 {
			c.pushBack(b)
		}
	}
	a.blocks, a.settled = a.blocks[:0], 0
}
