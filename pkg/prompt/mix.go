// SPDX-License-Identifier: Apache-2.0

package prompt

// golden is 2^64 divided by the golden ratio, made odd: multiples of it are
// spread evenly, so that neighbouring spans differ in all of their bits.
const golden = 0x9e3779b97f4a7c15

// fold adds one piece to a running hash. For a given source and hash it is a
// bijection of the span, so pieces of one text never collide with each other.
// A piece has fewer than 2^32 tokens and starts before 2^32.
func fold(hash, mixedSource uint64, start, tokens int64) uint64 {
	span := uint64(start)<<32 | uint64(tokens)
	return mix(hash ^ (mixedSource + span*golden))
}

// mix is a bijection of 64-bit words that changes about half of the bits of
// its result for each bit of x: two rounds of xor-shift and multiply, with
// the constants that splitmix64 uses (Steele, Lea, Flood: Fast Splittable
// Pseudorandom Number Generators, OOPSLA 2014; Stafford's variant 13).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
