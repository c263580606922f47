// SPDX-License-Identifier: Apache-2.0

// Package ballast makes the garbage collector run less often while the heap is small.
package ballast

import "runtime"

// bytes is more than what a command allocates until it simulates, so that a short run meets no
// collection. A heap of many times as much is collected as if there were no ballast.
const bytes = 24 << 20

// Load holds memory that is never touched, and so never becomes resident. The
// collector starts when the heap has doubled: while a simulation's grows to its
// few megabytes that is again and again, on every core that is idle, for a run of
// a tenth of a second. It returns what gives the memory back.
func Load() (drop func()) {
	weight := make([]byte, bytes)
	return func() { runtime.KeepAlive(weight) }
}
