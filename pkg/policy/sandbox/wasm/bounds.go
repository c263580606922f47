// SPDX-License-Identifier: Apache-2.0

package wasm

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/policy"
)

// Bounds of modules in addition to those of the limits.
const (
	// maxDepth is how deep calls nest. Each of wazero's engines can nest them deeper.
	maxDepth = 1000
	// maxElements bounds a table.
	maxElements = 1 << 16
	// maxFunctions and the rest bound the time and the memory that compiling takes: the number of
	// functions in a module, of parameters and results of each, of locals of each and of all, of
	// bytes of a body, the depth of its blocks, and the jumps of each function and of all.
	maxFunctions = 10_000
	maxParams    = 100
	maxResults   = 10
	maxLocals    = 10_000
	maxAllLocals = 100_000
	maxBody      = 128 << 10
	maxNesting   = 1000
	maxJumps     = 2000
	maxAllJumps  = 50_000

	pageBytes = 64 << 10
)

// tables bounds the tables.
func (w *rewriter) tables(s *reader) []byte {
	n := s.count()
	out := appendU32(nil, uint32(n))
	if n > 1 {
		s.refuse("several tables")
	}
	for range n {
		if kind := s.byte(); kind != 0x70 {
			s.refuse("references")
		}
		out = s.bounded(append(out, 0x70), math.MaxUint32, maxElements, "elements of a table")
	}
	s.end()
	return out
}

// memories bounds the memory.
func (w *rewriter) memories(s *reader) []byte {
	n := s.count()
	out := appendU32(nil, uint32(n))
	if n > 1 {
		s.refuse("several memories")
	}
	pages := uint32(min(w.limits.MemoryBytes/pageBytes, 1<<16))
	for range n {
		out = s.bounded(out, 1<<16, pages, "pages of memory")
	}
	s.end()
	return out
}

// bounded reads the least and the greatest size of something, which the language bounds
// with valid, and writes them with a bound.
func (r *reader) bounded(out []byte, valid, most uint32, what string) []byte {
	flags := r.byte()
	least, greatest := r.u32(), valid
	switch flags {
	case 0:
	case 1:
		greatest = r.u32()
	case 2, 3:
		r.refuse("threads")
	default:
		r.refuse("64-bit memory")
	}
	if least > greatest || greatest > valid {
		r.invalid("there is no range from %d to %d for %s", least, greatest, what)
	}
	if least > most {
		r.fail(policy.MemoryFault, "it needs %d %s, and may have %d", least, what, most)
	}
	return appendU32(appendU32(append(out, 1), least), min(greatest, most))
}
