// SPDX-License-Identifier: Apache-2.0

package simulator

// Decisions are what was decided on requests in a run, and what came of it. Two runs of
// the same requests with equal digests sent each request to the same place and served it
// at the same times: what tells their configurations apart changed nothing.
type Decisions struct {
	// Requests counts those that ended, measured or not: each was routed, refused or kept
	// back.
	Requests int64
	// Digest is a sum over requests, so that it does not depend on the order of their ends.
	Digest uint64
	// Shown are the properties that some of the requests had.
	Shown Shown
}

// Shown is a set of properties of requests on which only some policies act.
type Shown uint8

// The properties.
const (
	// ShownSessions: a request belongs to a session.
	ShownSessions Shown = 1 << iota
	// ShownAdapters: a request asks for a LoRA adapter.
	ShownAdapters
	// ShownHeaders: a request has headers.
	ShownHeaders
	// ShownPriorities: two requests have other priorities.
	ShownPriorities
	// ShownLengths: the prompts of two requests have other lengths.
	ShownLengths
)

// Mix takes a number into a digest: a step of splitmix64 (Steele, Lea and Flood: Fast
// Splittable Pseudorandom Number Generators, OOPSLA 2014).
func Mix(digest, x uint64) uint64 {
	z := (digest ^ x) + 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
