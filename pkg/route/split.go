// SPDX-License-Identifier: Apache-2.0

package route

import "math/bits"

// A Share is one choice with its weight.
type Share struct {
	// Index is the choice: of a router, or of a model.
	Index  int
	Weight int32
}

// pick returns the choice that a draw of 64 random bits falls on: the shares divide the
// interval of draws in their order. For two shares, a draw that falls on the second one does
// so at any greater weight of it. The weights are not all 0.
func pick(shares []Share, draw uint64) int {
	at, _ := bits.Mul64(draw, total(shares))
	for _, s := range shares {
		if at < uint64(s.Weight) {
			return s.Index
		}
		at -= uint64(s.Weight)
	}
	panic("route: no share has a weight")
}

func total(shares []Share) uint64 {
	sum := uint64(0)
	for _, s := range shares {
		sum += uint64(s.Weight)
	}
	return sum
}
