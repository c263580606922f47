// SPDX-License-Identifier: Apache-2.0

package kv

import "slices"

// oracle is the cache as one would tell it: slices searched from end to end.
type oracle struct {
	blockTokens int
	caching     bool
	free        []int32 // front first
	references  []int
	identities  map[uint64]int32
	evictions   int64
}

type oracleAllocation struct {
	blocks  []int32
	settled int
}

func newOracle(blocks, blockTokens int, caching bool) *oracle {
	o := &oracle{
		blockTokens: blockTokens, caching: caching,
		references: make([]int, blocks), identities: map[uint64]int32{},
	}
	for b := range int32(blocks) {
		o.free = append(o.free, b)
	}
	return o
}

func (o *oracle) used() int { return len(o.references) - len(o.free) }

// match returns the blocks of the leading identities that are cached.
func (o *oracle) match(chain []uint64, maxTokens int) []int32 {
	var hits []int32
	for i, identity := range chain {
		b, ok := o.identities[identity]
		if !o.caching || !ok || (i+1)*o.blockTokens > maxTokens {
			break
		}
		hits = append(hits, b)
	}
	return hits
}

func (o *oracle) extend(a *oracleAllocation, chain []uint64, tokens int) bool {
	var hits []int32
	if len(a.blocks) == 0 {
		hits = o.match(chain, tokens-1)
	}
	left := slices.DeleteFunc(slices.Clone(o.free), func(b int32) bool { return slices.Contains(hits, b) })
	fresh := (tokens+o.blockTokens-1)/o.blockTokens - len(a.blocks) - len(hits)
	if fresh > len(left) {
		return false
	}
	o.free = left
	for _, b := range hits {
		o.references[b]++
		a.blocks = append(a.blocks, b)
		a.settled++
	}
	for range fresh {
		b := o.free[0]
		o.free = o.free[1:]
		o.evict(b)
		o.references[b] = 1
		a.blocks = append(a.blocks, b)
	}
	for ; o.caching && a.settled < min(tokens/o.blockTokens, len(chain)); a.settled++ {
		if _, taken := o.identities[chain[a.settled]]; !taken {
			o.identities[chain[a.settled]] = a.blocks[a.settled]
		}
	}
	return true
}

func (o *oracle) evict(b int32) {
	for identity, carrier := range o.identities {
		if carrier == b {
			delete(o.identities, identity)
			o.evictions++
		}
	}
}

func (o *oracle) release(a *oracleAllocation) {
	for _, b := range slices.Backward(a.blocks) {
		if o.references[b]--; o.references[b] == 0 {
			o.free = append(o.free, b)
		}
	}
	*a = oracleAllocation{}
}
