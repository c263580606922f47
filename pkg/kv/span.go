// SPDX-License-Identifier: Apache-2.0

package kv

import "windtunnel.dev/windtunnel/pkg/prompt"

// Span is neighbouring blocks of one stretch, which number them from 0: From up
// to and without To, or, where From is above To, those of [To, From) with the
// last one first. Blocks that were evicted come in spans of the second kind,
// in the order in which they were evicted.
type Span struct {
	ID       uint64
	From, To int32
}

// Blocks returns how many there are.
func (s Span) Blocks() int { return int(max(s.To-s.From, s.From-s.To)) }

// backwards says that the last block comes first.
func (s Span) backwards() bool { return s.From > s.To }

// bounds returns the blocks as [from, to).
func (s Span) bounds() (from, to int32) { return min(s.From, s.To), max(s.From, s.To) }

// CountBlocks returns how many blocks are in all spans.
func CountBlocks(spans []Span) int {
	blocks := 0
	for _, s := range spans {
		blocks += s.Blocks()
	}
	return blocks
}

// chainSpans appends to dst the blocks [from, to) of a chain, numbered through all
// its stretches.
func chainSpans(dst []Span, chain []prompt.Stretch, from, to int) []Span {
	parts := chainParts{chain, from, to}
	for part, ok := parts.next(); ok; part, ok = parts.next() {
		dst = append(dst, part)
	}
	return dst
}

// chainParts is the blocks [from, to) of a chain, numbered through all its stretches,
// stretch by stretch.
type chainParts struct {
	chain    []prompt.Stretch
	from, to int
}

// next returns the part of the next stretch that has one.
func (p *chainParts) next() (part Span, ok bool) {
	for len(p.chain) > 0 && p.to > 0 && !ok {
		blocks := int(p.chain[0].Blocks)
		part = Span{ID: p.chain[0].ID, From: int32(min(p.from, blocks)), To: int32(min(p.to, blocks))}
		ok = part.From < part.To
		p.chain = p.chain[1:]
		p.from, p.to = max(0, p.from-blocks), p.to-blocks
	}
	return part, ok
}
