// SPDX-License-Identifier: Apache-2.0

package ballast

import (
	"math"
	"runtime"
	"runtime/debug"
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

func TestTheLimitIsTheUsers(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(math.MaxInt64))
	defer Load()()
	if got := MemoryLimit(); got != math.MaxInt64 {
		t.Errorf("no limit is set, and it is %d bytes", got)
	}
	debug.SetMemoryLimit(20 << 20)
	if got := MemoryLimit(); got != 20<<20 {
		t.Errorf("a limit of 20 MiB is %d bytes", got)
	}
}
