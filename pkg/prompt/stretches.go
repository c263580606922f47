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
	dst, _, _ = p.cut(dst, blockTokens)
	return dst
}

// AllStretches is FullStretches with the partial last block, if there is one,
// as a stretch of its own. Its ID differs from that of every full block.
func (p Prompt) AllStretches(dst []Stretch, blockTokens int) []Stretch {
	dst, id, rest := p.cut(dst, blockTokens)
	if rest > 0 {
		dst = append(dst, Stretch{ID: id, Blocks: 1})
	}
	return dst
}

// SharedStretches is AllStretches without the blocks that no other prompt has, as far as
// that is known, and how many those are.
func (p Prompt) SharedStretches(dst []Stretch, blockTokens int) (shared []Stretch, own int) {
	if p.Own == 0 {
		return p.AllStretches(dst, blockTokens), 0
	}
	shared = p.Shared().FullStretches(dst, blockTokens)
	own = (p.Tokens() + blockTokens - 1) / blockTokens
	for _, s := range shared[len(dst):] {
		own -= int(s.Blocks)
	}
	return shared, own
}

// cut appends the stretches of full blocks, and returns the identity of the whole prompt and
// how many tokens its partial block has.
//
// The identity of a prefix is a hash of its runs: the last one enters with the length
// that it has inside the prefix, so that a prefix of any length has its hash
// without a look at the blocks before. A stretch begins where a run ends its first block.
func (p Prompt) cut(dst []Stretch, blockTokens int) (_ []Stretch, id uint64, rest int64) {
	if blockTokens < 1 {
		panic(fmt.Sprintf("prompt: a block of %d tokens", blockTokens))
	}
	block := int64(blockTokens)
	id = mix(uint64(blockTokens) + golden)
	for i := 0; i < len(p.Extents); {
		var r run
		if r, i = p.run(i); r.tokens == 0 {
			break
		}
		source, before := mix(r.source), id
		id = fold(before, source, r.start, r.tokens)
		missing := block - rest
		if r.tokens < missing {
			rest += r.tokens
			continue
		}
		more := (r.tokens - missing) / block
		rest = r.tokens - missing - more*block
		dst = append(dst, Stretch{ID: fold(before, source, r.start, missing), Blocks: int32(1 + more)})
	}
	return dst, id, rest
}
