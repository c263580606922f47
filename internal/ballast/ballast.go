// SPDX-License-Identifier: Apache-2.0

// Package ballast makes the garbage collector wait for small heaps.
package ballast

import "runtime"

// bytes is more than most simulations hold. A heap of many times as much is
// collected as if there were no ballast.
const bytes = 32 << 20

// Load holds memory that is never touched, and so never becomes resident. The
// collector starts when the heap has doubled: with a few megabytes in use, as
// simulations have, it would start dozens of times and take longer than they do.
// It returns what gives the memory back.
func Load() (drop func()) {
	weight := make([]byte, bytes)
	return func() { runtime.KeepAlive(weight) }
}
