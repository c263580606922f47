// SPDX-License-Identifier: Apache-2.0

package prompt

import "fmt"

// Stretch is consecutive blocks of a prompt: a first one, and those after it
// that hold nothing but the continuation of the text which the first one ends
// with. A prompt has about as many stretches as extents, whatever its length.
//
// ID stands for the whole prefix up to the end of the first block. At one
// block size two prompts share their first n blocks if and only if their
// stretches agree that far: the IDs are equal, and where the n-th block lies
// inside a stretch both have it that long (up to collisions of a 64-bit hash).
type Stretch struct {
	ID     uint64
	Blocks int32
}

// FullStretches appends to dst the stretches of the prompt's blocks of
// blockTokens tokens, without the partial block that may end it: an engine
// never reuses a partial block. It panics if blockTokens is less than 1 or an
// extent has a negative field.
func (p Prompt) FullStretches(dst []Stretch, blockTokens int) []Stretch {
	c := newCutter(dst, blockTokens)
	c.cut(p.Extents)
	return c.stretches
}

// AllStretches is FullStretches with the partial last block, if there is one,
// as a stretch of its own. Its ID differs from that of every full block.
func (p Prompt) AllStretches(dst []Stretch, blockTokens int) []Stretch {
	c := newCutter(dst, blockTokens)
	c.cut(p.Extents)
	if c.filled > 0 {
		c.stretches = append(c.stretches, Stretch{ID: c.id(), Blocks: 1})
	}
	return c.stretches
}

// cutter cuts a prompt into stretches. The identity of a prefix is a hash of
// its runs, the maximal pieces of one text: the last one enters with the length
// that it has inside the prefix, so that a prefix of any length has its hash
// without a look at the blocks before.
type cutter struct {
	stretches []Stretch
	block     int64

	before uint64 // hash of the runs that have ended
	run    run    // the one under way; none where it has no tokens
	filled int64  // tokens of the block under way
	// continues says that the block under way holds nothing but the run that
	// the block before it ended with.
	continues bool
}

func newCutter(dst []Stretch, blockTokens int) cutter {
	if blockTokens < 1 {
		panic(fmt.Sprintf("prompt: a block of %d tokens", blockTokens))
	}
	return cutter{stretches: dst, block: int64(blockTokens), before: mix(uint64(blockTokens) + golden)}
}

func (c *cutter) cut(extents []Extent) {
	for i, e := range extents {
		if e.Start < 0 || e.Tokens < 0 {
			panic(fmt.Sprintf("prompt: extent %d of %d tokens from %d", i, e.Tokens, e.Start))
		}
		if e.Tokens == 0 {
			continue
		}
		if c.run.tokens == 0 || e.Source != c.run.source || int64(e.Start) != c.run.start+c.run.tokens {
			c.begin(e)
		}
		c.extend(int64(e.Tokens))
	}
}

// begin ends the run under way and starts the next one.
func (c *cutter) begin(e Extent) {
	if c.run.tokens > 0 {
		c.before = c.id()
	}
	c.run = run{source: e.Source, start: int64(e.Start)}
	c.continues = false
}

// extend adds tokens to the run under way.
func (c *cutter) extend(tokens int64) {
	missing := c.block - c.filled
	if tokens < missing {
		c.run.tokens += tokens
		c.filled += tokens
		return
	}
	c.run.tokens += missing
	if !c.continues {
		c.stretches = append(c.stretches, Stretch{ID: c.id()})
		c.continues = true
	}
	tokens -= missing
	c.stretches[len(c.stretches)-1].Blocks += int32(1 + tokens/c.block)
	c.run.tokens += tokens
	c.filled = tokens % c.block
}

// id is the identity of the prefix up to here.
func (c *cutter) id() uint64 {
	return fold(c.before, mix(c.run.source), c.run.start, c.run.tokens)
}
