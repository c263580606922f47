// SPDX-License-Identifier: Apache-2.0

package kv

import "slices"

// oracle is the cache as one would tell it: slices searched from end to end.
type oracle struct {
	blockTokens int
	caching     bool
	free        []*oracleBlock // front first
	all         []*oracleBlock
	evictions   int64
}

type oracleBlock struct {
	references int
	identity   uint64
	named      bool
}

type oracleAllocation struct {
	blocks  []*oracleBlock
	settled int
}

func newOracle(blocks, blockTokens int, caching bool) *oracle {
	o := &oracle{blockTokens: blockTokens, caching: caching}
	for range blocks {
		b := &oracleBlock{}
		o.all = append(o.all, b)
		o.free = append(o.free, b)
	}
	return o
}

func (o *oracle) used() int { return len(o.all) - len(o.free) }

func (o *oracle) find(identity uint64) *oracleBlock {
	for _, b := range o.all {
		if b.named && b.identity == identity {
			return b
		}
	}
	return nil
}

func (o *oracle) match(chain []uint64, maxTokens int) int {
	n := 0
	for o.caching && n < len(chain) && (n+1)*o.blockTokens <= maxTokens && o.find(chain[n]) != nil {
		n++
	}
	return n
}

func (o *oracle) extend(a *oracleAllocation, chain []uint64, tokens int) bool {
	var hits []*oracleBlock
	if len(a.blocks) == 0 {
		for _, identity := range chain[:o.match(chain, tokens-1)] {
			hits = append(hits, o.find(identity))
		}
	}
	left := slices.DeleteFunc(slices.Clone(o.free), func(b *oracleBlock) bool { return slices.Contains(hits, b) })
	fresh := (tokens+o.blockTokens-1)/o.blockTokens - len(a.blocks) - len(hits)
	if fresh > len(left) {
		return false
	}
	o.free = left
	for _, b := range hits {
		b.references++
		a.blocks = append(a.blocks, b)
		a.settled++
	}
	for range fresh {
		b := o.free[0]
		o.free = o.free[1:]
		if b.named {
			b.named = false
			o.evictions++
		}
		b.references = 1
		a.blocks = append(a.blocks, b)
	}
	for o.caching && a.settled < min(tokens/o.blockTokens, len(chain)) {
		if b := a.blocks[a.settled]; o.find(chain[a.settled]) == nil {
			b.identity, b.named = chain[a.settled], true
		}
		a.settled++
	}
	return true
}

func (o *oracle) release(a *oracleAllocation) {
	for _, b := range slices.Backward(a.blocks) {
		if b.references--; b.references == 0 {
			o.free = append(o.free, b)
		}
	}
	*a = oracleAllocation{}
}
