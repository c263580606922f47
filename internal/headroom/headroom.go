// SPDX-License-Identifier: Apache-2.0

// Package headroom makes the garbage collector run less often while the heap is small.
package headroom

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// leastBytes is more than what a command allocates until it simulates, so that a short run has no
// collection. With 24 MiB, small trials take 1.1 times the CPU time and fleets of 256 replicas 1.3 times.
const leastBytes = 42 << 20

// growth is by how many percent a large heap grows between two collections; 0 before [Grow].
var growth struct {
	sync.Mutex
	percent int
}

// Grow lets the heap grow by a percentage of what is live, and by 42 MiB at least, between two
// collections, unless the user states GOGC. By default the collector starts when the heap has
// doubled. The heap of a short simulation, of a few megabytes, doubles often, and each collection
// takes all cores that are idle.
func Grow(percent int) {
	if os.Getenv("GOGC") != "" {
		return
	}
	growth.Lock()
	began := growth.percent > 0
	growth.percent = percent
	growth.Unlock()
	adjust()
	if !began {
		adjustAfterCollections()
	}
}

// adjust sets what the collector knows, a percentage, for the heap that is live now.
func adjust() {
	growth.Lock()
	defer growth.Unlock()
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(percentOf(live[0].Value.Uint64(), growth.percent))
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
