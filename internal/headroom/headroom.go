// SPDX-License-Identifier: Apache-2.0

// Package headroom makes the garbage collector run less often while the heap is small.
package headroom

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// leastBytes is more than what a command allocates until it simulates, so that a short run meets no
// collection.
const leastBytes = 24 << 20

// growth is by how many percent a large heap grows between two collections; 0 before [Grow].
var growth atomic.Int64

// Grow lets the heap grow by a percentage of what is live, and by 24 MiB at least, between two
// collections, unless the user states GOGC. Left alone, the collector starts when the heap has
// doubled: while a simulation's grows to its few megabytes that is again and again, on every core
// that is idle, for a run of a tenth of a second.
func Grow(percent int) {
	if os.Getenv("GOGC") != "" {
		return
	}
	began := growth.Swap(int64(percent)) > 0
	adjust()
	if !began {
		adjustAfterCollections()
	}
}

// adjust sets what the collector knows, a percentage, for the heap that is live now.
func adjust() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(percentOf(live[0].Value.Uint64(), int(growth.Load())))
}

// smallestHeap is that of which the collector takes the percentage where less is live.
const smallestHeap = 4 << 20

func percentOf(live uint64, growth int) int {
	return max(growth, int(100*leastBytes/max(live, smallestHeap)))
}

// cycle is what the next collection collects. It has a place of its own: the runtime puts small things
// without pointers together, and they stay as long as the last of them does.
type cycle struct{ _ *cycle }

// adjustAfterCollections adjusts after each of them.
func adjustAfterCollections() {
	runtime.SetFinalizer(&cycle{}, func(*cycle) {
		adjust()
		adjustAfterCollections()
	})
}
