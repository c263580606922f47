// SPDX-License-Identifier: Apache-2.0

package prompt

import (
	"fmt"
	"slices"
)

// FullBlocks appends to dst the identities of the prompt's consecutive blocks
// of blockTokens tokens, without the partial block that may end it: an engine
// never reuses a partial block.
//
// Identity i stands for the first (i+1)·blockTokens tokens: at one block size,
// two identities are equal if and only if those prefixes are, however either
// prompt is cut into extents (up to collisions of a 64-bit hash). The memory
// of dst is used while it lasts; nothing else is allocated. It panics if
// blockTokens is less than 1 or an extent has a negative field.
func (p Prompt) FullBlocks(dst []uint64, blockTokens int) []uint64 {
	return p.chain(dst, blockTokens, false)
}

// AllBlocks is FullBlocks with the partial last block, if there is one, as a
// block too. Its identity differs from that of every full block.
func (p Prompt) AllBlocks(dst []uint64, blockTokens int) []uint64 {
	return p.chain(dst, blockTokens, true)
}

// chain hashes a block as its pieces, the maximal runs of one text cut at the
// block's ends. Pieces determine the tokens and are determined by them, and
// their lengths say where each block ends, so folding piece after piece into
// one running hash needs no marks between blocks.
func (p Prompt) chain(dst []uint64, blockTokens int, partial bool) []uint64 {
	if blockTokens < 1 {
		panic(fmt.Sprintf("prompt: a block of %d tokens", blockTokens))
	}
	tokens := p.Tokens()
	blocks := tokens / blockTokens
	partial = partial && tokens%blockTokens != 0
	if partial {
		blocks++
	}
	dst = slices.Grow(dst, max(blocks, 0))
	block := int64(blockTokens)
	id := mix(uint64(blockTokens) + golden)
	filled := int64(0) // tokens of the block under way
	for i := 0; i < len(p.Extents); {
		var r run
		r, i = p.run(i)
		if r.tokens == 0 {
			continue
		}
		source := mix(r.source)
		if filled > 0 {
			take := min(r.tokens, block-filled)
			id = fold(id, source, r.start, take)
			r.start, r.tokens, filled = r.start+take, r.tokens-take, filled+take
			if filled < block {
				continue
			}
			dst = append(dst, id)
		}
		for ; r.tokens >= block; r.tokens -= block {
			id = fold(id, source, r.start, block)
			dst = append(dst, id)
			r.start += block
		}
		if r.tokens > 0 {
			id = fold(id, source, r.start, r.tokens)
		}
		filled = r.tokens
	}
	if partial {
		dst = append(dst, id)
	}
	return dst
}

// run is a maximal run of one text in a prompt. Its end may lie beyond what
// an int32 holds, though no extent's start does.
type run struct {
	source        uint64
	start, tokens int64
}

// run merges the extents from index i on that continue each other, and
// returns the index after them. Empty extents are as if they were not there.
func (p Prompt) run(i int) (run, int) {
	var r run
	for ; i < len(p.Extents); i++ {
		e := p.Extents[i]
		switch {
		case e.Start < 0 || e.Tokens < 0:
			panic(fmt.Sprintf("prompt: extent %d of %d tokens from %d", i, e.Tokens, e.Start))
		case e.Tokens == 0:
		case r.tokens == 0:
			r = run{source: e.Source, start: int64(e.Start), tokens: int64(e.Tokens)}
		case e.Source == r.source && int64(e.Start) == r.start+r.tokens:
			r.tokens += int64(e.Tokens)
		default:
			return r, i
		}
	}
	return r, i
}
