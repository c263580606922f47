// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"math/bits"
	"math/rand/v2"
)

// Stream is a deterministic source of random numbers. It is not safe for
// concurrent use.
//
// The bits come from a PCG generator, whose output the Go compatibility
// promise pins; everything made of them is this package's own.
type Stream struct {
	source rand.PCG
}

// NewStream returns the stream of that name under a seed. It depends on the two
// alone, never on what other streams there are or which was used first, so
// that a policy that draws numbers does not change the workload it meets.
// Names are compared as bytes; a separator such as "/" is the caller's to use.
func NewStream(seed int64, name string) *Stream {
	s := &Stream{}
	s.reset(seed, HashString(name))
	return s
}

// Reset makes s the stream of that name under a seed, as NewStream does, without an
// allocation.
func (s *Stream) Reset(seed int64, name []byte) { s.reset(seed, HashBytes(name)) }

func (s *Stream) reset(seed int64, nameHash uint64) {
	base := Hash64(uint64(seed), nameHash)
	s.source.Seed(Hash64(base, 0), Hash64(base, 1))
}

// Uint64 returns 64 random bits.
func (s *Stream) Uint64() uint64 { return s.source.Uint64() }

// Float64 returns a number in [0, 1), a multiple of 2^-53.
func (s *Stream) Float64() float64 { return float64(s.Uint64()>>11) * 0x1p-53 }

// OpenFloat64 returns a number in (0, 1), an odd multiple of 2^-53: its
// logarithm is finite, and 1 minus it is exact.
func (s *Stream) OpenFloat64() float64 { return (float64(s.Uint64()>>12) + 0.5) * 0x1p-52 }

// IntN returns a number in [0, n), each equally likely. It panics where n < 1.
//
// The upper half of a 128-bit product is the number; the few products that
// would favour some numbers are drawn again (Lemire: Fast Random Integer
// Generation in an Interval, 2019).
func (s *Stream) IntN(n int) int {
	if n < 1 {
		panic("stats: IntN of a bound below 1")
	}
	bound := uint64(n)
	number, rest := bits.Mul64(s.Uint64(), bound)
	if rest >= bound {
		return int(number)
	}
	for unfair := -bound % bound; rest < unfair; {
		number, rest = bits.Mul64(s.Uint64(), bound)
	}
	return int(number)
}
