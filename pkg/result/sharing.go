// SPDX-License-Identifier: Apache-2.0

package result

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"
)

// Sharing has rows with the same values of metrics share them. Many points of a fine grid behave alike, and
// the values are most of a row. The zero value is ready; it is not safe for concurrent use.
type Sharing struct {
	seed   maphash.Seed
	known  map[uint64]Metrics
	buffer []byte
}

// Share replaces the metrics of a row by equal ones of a row before it.
func (s *Sharing) Share(r *Row) {
	if s.known == nil {
		s.seed, s.known = maphash.MakeSeed(), map[uint64]Metrics{}
	}
	s.buffer = s.buffer[:0]
	for _, value := range r.Metrics.values {
		s.buffer = binary.LittleEndian.AppendUint64(s.buffer, math.Float64bits(value))
	}
	hash := maphash.Bytes(s.seed, s.buffer)
	known, is := s.known[hash]
	switch {
	case !is:
		s.known[hash] = r.Metrics
	case known.names == r.Metrics.names && slices.EqualFunc(known.values, r.Metrics.values, sameBits):
		r.Metrics = known
	}
}

// sameBits tells 0 from -0, which are written differently.
func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
