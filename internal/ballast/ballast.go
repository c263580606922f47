// SPDX-License-Identifier: Apache-2.0

// Package ballast makes the garbage collector run less often while the heap is small.
package ballast

import (
	"math"
	"runtime"
	"runtime/debug"
)

const (
	// bytes is more than most simulations hold. A heap of many times as much is
	// collected as if there were no ballast.
	bytes = 32 << 20
	// usual and first are percentages of GOGC: the runtime's own, and one with which the
	// first collection waits for 96 MiB, of which the ballast is a third. Reading a manifest
	// allocates less than the rest, and a collection of it takes longer than ten requests.
	usual, first = 100, 2400
	// limit bounds the memory of the runtime until the usual percentage holds: where all cores are
	// busy, that may be long after the first collection, and the next one would wait for a gibibyte.
	// It is a byte off what a user would set.
	limit = 160<<20 + 1
)

// MemoryLimit is the limit of the runtime's memory that the user has set, by GOMEMLIMIT;
// math.MaxInt64 if none is.
func MemoryLimit() int64 {
	if now := debug.SetMemoryLimit(-1); now != limit { // a negative number only asks
		return now
	}
	return math.MaxInt64
}

// Load holds memory that is never touched, and so never becomes resident. The
// collector starts when the heap has doubled: while a simulation's grows to its
// few megabytes that is again and again, on every core that is idle, for a run of
// a tenth of a second. It returns what gives the memory back.
func Load() (drop func()) {
	if before := debug.SetGCPercent(first); before != usual {
		debug.SetGCPercent(before) // the user has set GOGC
	} else {
		atFirst := settings{first, limit}
		before := settings{usual, atFirst.boundMemory()}
		runtime.AddCleanup(new(sentinel), before.replace, atFirst)
	}
	weight := make([]byte, bytes)
	return func() { runtime.KeepAlive(weight) }
}

// sentinel is an object that the first collection finds unused. The allocator keeps an object of less
// than 16 bytes together with others.
type sentinel [16]byte

// settings are those of the collector.
type settings struct {
	percent int
	limit   int64
}

// boundMemory sets the limit of memory, unless the user has set one, and returns the one before.
func (s *settings) boundMemory() (before int64) {
	if before = MemoryLimit(); before < math.MaxInt64 {
		s.limit = before
	}
	return debug.SetMemoryLimit(s.limit)
}

// replace puts settings in place of those given, which others may have replaced already.
func (s settings) replace(given settings) {
	if now := debug.SetGCPercent(s.percent); now != given.percent {
		debug.SetGCPercent(now)
	}
	debug.SetMemoryLimit(s.limit)
}
