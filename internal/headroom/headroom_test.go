// SPDX-License-Identifier: Apache-2.0

package headroom

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// A collector that follows the percentage starts at live * (1 + percentage / 100).
func TestHeapsGrowByAPercentageOrALeastAmount(t *testing.T) {
	for name, tc := range map[string]struct {
		live   uint64
		growth int
		want   int
	}{
		"nothing is live":             {0, 100, 1050},       // the collector counts 4 MiB: 42 / 4
		"a small heap":                {8 << 20, 100, 525},  // 42 / 8
		"as much as the least amount": {42 << 20, 100, 100}, // 42 / 42
		"a large heap":                {96 << 20, 100, 100},
		"a large heap, limited":       {96 << 20, 20, 43}, // 42 / 96 is more than a fifth
		"a larger heap, limited":      {960 << 20, 20, 20},
	} {
		t.Run(name, func(t *testing.T) {
			if got := percentOf(tc.live, tc.growth); got != tc.want {
				t.Errorf("%d %%, want %d %%", got, tc.want)
			}
		})
	}
}

// TestSmallHeapsAreLeftAlone: there is no collection for some megabytes of garbage, neither at
// the start nor after others.
func TestSmallHeapsAreLeftAlone(t *testing.T) {
	t.Setenv("GOGC", "")
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	Grow(100)
	for range 3 {
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
		runtime.GC()
	}
}

func TestAStatedGOGCStays(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(80))
	t.Setenv("GOGC", "80")
	Grow(20)
	if got := debug.SetGCPercent(80); got != 80 {
		t.Errorf("the heap grows by %d %%, want the stated 80 %%", got)
	}
}
