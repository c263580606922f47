// SPDX-License-Identifier: Apache-2.0

package prompt

// Slab hands out the memory of prompts in slabs: a workload makes millions
// of small prompts, and one allocation for each would cost as much as the
// rest of a request. A slab lives as long as any prompt in it.
type Slab struct {
	rest []Extent
}

const slabExtents = 512

// Keep returns a copy of extents.
func (s *Slab) Keep(extents []Extent) []Extent {
	kept := s.Take(len(extents))
	copy(kept, extents)
	return kept
}

// Take returns n zero extents whose capacity is n.
func (s *Slab) Take(n int) []Extent {
	if n > len(s.rest) {
		s.rest = make([]Extent, max(n, slabExtents))
	}
	taken := s.rest[:n:n]
	s.rest = s.rest[n:]
	return taken
}
