// SPDX-License-Identifier: Apache-2.0

package ballast

import (
	"runtime"
	"testing"
)

// TestSmallHeapsAreLeftAlone: with the ballast, a program that makes some
// megabytes of garbage meets no collection.
func TestSmallHeapsAreLeftAlone(t *testing.T) {
	drop := Load()
	defer drop()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var sink []byte
	for range 12 {
		sink = make([]byte, 1<<20)
	}
	runtime.KeepAlive(sink)
	runtime.ReadMemStats(&after)
	if n := after.NumGC - before.NumGC; n != 0 {
		t.Errorf("%d collections for 12 MiB of garbage", n)
	}
}
