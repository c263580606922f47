// SPDX-License-Identifier: Apache-2.0

package trace

import "windtunnel.dev/windtunnel/pkg/stats"

// reblocker gives prompts the ids of blocks of another size.
type reblocker struct {
	from, to int // tokens; a size of 0 is without blocks
	ids      []uint64
}

// What the ids are hashes of.
const (
	sharedBlock = iota + 1
	ownBlock
)

// idBits keeps the ids that are made up within what readers of JSON take as integers.
const idBits = 53

// full returns the ids of all full blocks of a prompt of row number n, in memory that the
// next call uses again. An id stands for the whole prompt up to the end of its block. So
// two prompts share a block if they shared all blocks that it lies in. Where no ids say
// what the text is, it is the row's own.
func (b *reblocker) full(ids []uint64, input int32, n int) []uint64 {
	if b.to == 0 {
		return nil
	}
	b.ids = b.ids[:0]
	prefix, hashed := uint64(0), 0
	for end := b.to; end <= int(input); end += b.to {
		if end > len(ids)*b.from {
			b.ids = append(b.ids, madeUp(ownBlock, uint64(n), uint64(end)))
			continue
		}
		if b.from == b.to {
			b.ids = append(b.ids, ids[end/b.to-1])
			continue
		}
		for ; hashed*b.from < end; hashed++ {
			prefix = stats.Hash64(prefix, ids[hashed])
		}
		b.ids = append(b.ids, madeUp(sharedBlock, prefix, uint64(end)))
	}
	return b.ids
}

// shared returns the ids of the full blocks that others may share.
func (b *reblocker) shared(ids []uint64, input int32, n int) []uint64 {
	return b.full(ids, min(input, int32(len(ids)*b.from)), n)
}

func madeUp(what uint64, of ...uint64) uint64 {
	return stats.Hash64(what, of...) >> (64 - idBits)
}
