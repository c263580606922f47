// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math/bits"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// newSobol proposes the points of a scrambled Sobol sequence: each 2^k of them
// in a row fill every coordinate, and most pairs of coordinates, more evenly
// than chance. Points that repeat others, or that rules forbid, are skipped;
// once the sequence brings nothing new, the rest is drawn at random.
func newSobol(p *problem) (Algorithm, field.ErrorList) {
	if n := p.cube.dimensions(); n > sobolDimensions {
		return nil, field.ErrorList{field.TooMany(p.path.Child("parameters"), n, sobolDimensions)}
	}
	return newDesign(p, p.sobolPoints), nil
}

func (p *problem) sobolPoints() []Values {
	sequence := newSobolSequence(p.cube.dimensions(), p.stream(0).Uint64())
	u, most := newUntried(p.cube), p.Settings.MaxTrials
	var points []Values
	for misses := 0; len(points) < most && misses < maxRedraws; misses++ {
		if point := p.cube.decode(sequence.next()); u.take(point) {
			points = append(points, point)
			misses = 0
		}
	}
	return u.drawUpTo(most, points, p.stream(1))
}

// sobolBits is the resolution of a coordinate.
const sobolBits = 32

// sobolSequence is a Sobol sequence in the order of Gray's code (Antonov,
// Saleev: An Economic Method of Computing LPτ-sequences, 1979), with the
// direction numbers of Joe and Kuo, scrambled as Owen proposes (Randomly
// Permuted (t,m,s)-Nets and (t,s)-Sequences, 1995): the upper half of a
// coordinate changes places with the lower one or does not, then within each
// half its halves, and so on, by a fair coin for each. That leaves the sequence
// as even as it was, and each point alone is spread evenly.
type sobolSequence struct {
	directions [][sobolBits]uint32
	state      []uint32
	index      uint32
	key        uint64 // of the scrambling
}

func newSobolSequence(dimensions int, key uint64) *sobolSequence {
	s := &sobolSequence{state: make([]uint32, dimensions), key: key}
	for d := range dimensions {
		s.directions = append(s.directions, directionsOf(d))
	}
	return s
}

// next returns the next point, with coordinates in (0, 1).
func (s *sobolSequence) next() []float64 {
	point := make([]float64, len(s.state))
	for d, x := range s.state {
		point[d] = (float64(s.scramble(d, x)) + 0.5) / (1 << sobolBits)
	}
	s.advance()
	return point
}

func (s *sobolSequence) advance() {
	bit := bits.TrailingZeros32(^s.index)
	s.index++
	for d := range s.state {
		s.state[d] ^= s.directions[d][bit%sobolBits]
	}
}

// scramble flips each bit by a coin that the higher bits name.
func (s *sobolSequence) scramble(dimension int, x uint32) uint32 {
	var flips uint32
	for bit := range sobolBits {
		higher := uint64(x) >> (sobolBits - bit)
		coin := stats.Hash64(s.key, uint64(dimension), uint64(bit), higher)
		flips |= uint32(coin>>63) << (sobolBits - 1 - bit)
	}
	return x ^ flips
}

// directionsOf returns the direction numbers of a dimension, from the highest
// bit on, by the recurrence of its polynomial.
func directionsOf(dimension int) [sobolBits]uint32 {
	var v [sobolBits]uint32
	if dimension == 0 {
		for i := range v {
			v[i] = 1 << (sobolBits - 1 - i)
		}
		return v
	}
	p := joeKuo[dimension-1]
	degree := len(p.initial)
	for i := range v {
		if i < degree {
			v[i] = p.initial[i] << (sobolBits - 1 - i)
			continue
		}
		v[i] = v[i-degree] ^ v[i-degree]>>degree
		for k := 1; k < degree; k++ {
			if p.coefficients>>(degree-1-k)&1 == 1 {
				v[i] ^= v[i-k]
			}
		}
	}
	return v
}

// primitive is a primitive polynomial over {0, 1} with the first direction
// numbers of a dimension. Its degree is their number; coefficients are those
// between the first and the last, as bits, that of the higher power first.
type primitive struct {
	coefficients uint32
	initial      []uint32
}

// sobolDimensions is the greatest number of dimensions.
var sobolDimensions = len(joeKuo) + 1
