// SPDX-License-Identifier: Apache-2.0

package stats

import "github.com/cespare/xxhash/v2"

// golden is 2^64 divided by the golden ratio, made odd.
const golden = 0x9e3779b97f4a7c15

// Hash64 mixes words into 64 bits, in order. For a given seed and a given
// number of words, changing one word always changes the result: no two values
// of it collide.
func Hash64(seed uint64, words ...uint64) uint64 {
	h := mix(seed + golden)
	for _, w := range words {
		h = mix((h ^ w) + golden)
	}
	return h
}

// HashString hashes the bytes of s (xxHash64).
func HashString(s string) uint64 { return xxhash.Sum64String(s) }

// HashBytes is HashString of the string of the bytes.
func HashBytes(b []byte) uint64 { return xxhash.Sum64(b) }

// mix is a bijection of 64-bit words in which each bit of x changes about half
// of the bits of the result: the finaliser of splitmix64 (Steele, Lea, Flood:
// Fast Splittable Pseudorandom Number Generators, OOPSLA 2014; constants of
// Stafford's variant 13).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
