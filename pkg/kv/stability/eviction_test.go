// SPDX-License-Identifier: Apache-2.0

package stability

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDecide(t *testing.T) {
	for name, tc := range map[string]struct {
		memory                      Memory
		requested, reserve, minimum int
		throttled                   bool
		want                        EvictionPlan
	}{
		"there is room": {
			memory: Memory{TotalBlocks: 100, FreeBlocks: 40, EvictableBlocks: 30}, requested: 30, reserve: 10, minimum: 70,
		},
		"the request and the reserve": {
			memory: Memory{TotalBlocks: 100, FreeBlocks: 40, EvictableBlocks: 30}, requested: 45, reserve: 10,
			want: EvictionPlan{EvictBlocks: 15},
		},
		"no throttle holds back the floor": {
			memory: Memory{TotalBlocks: 100, FreeBlocks: 40, EvictableBlocks: 30}, requested: 45, reserve: 10, throttled: true,
			want: EvictionPlan{EvictBlocks: 15},
		},
		"idle content has what the minimum leaves": {
			memory: Memory{TotalBlocks: 100, FreeBlocks: 10, EvictableBlocks: 60}, minimum: 80,
			want: EvictionPlan{EvictBlocks: 40},
		},
		"the throttle holds back what is not for the floor": {
			memory: Memory{TotalBlocks: 100, FreeBlocks: 10, EvictableBlocks: 60}, requested: 15, minimum: 80, throttled: true,
			want: EvictionPlan{EvictBlocks: 5, DeferredBlocks: 35},
		},
		"blocks that move from free to held do not count twice": {
			memory: Memory{TotalBlocks: 100, FreeBlocks: 50, EvictableBlocks: 20}, requested: 50, minimum: 80,
		},
		"more than can be evicted": {
			memory: Memory{TotalBlocks: 100, FreeBlocks: 10, EvictableBlocks: 20}, requested: 40, reserve: 5,
			want: EvictionPlan{EvictBlocks: 20, ShortfallBlocks: 15},
		},
		"a minimum beyond the total is no shortfall of the request": {
			memory: Memory{TotalBlocks: 100, FreeBlocks: 10, EvictableBlocks: 20}, requested: 5, minimum: 500,
			want: EvictionPlan{EvictBlocks: 20},
		},
		"where nothing runs nothing is reserved": {
			memory: Memory{TotalBlocks: 100, FreeBlocks: 70, EvictableBlocks: 30}, requested: 100, reserve: 5,
			want: EvictionPlan{EvictBlocks: 30},
		},
		"larger than the cache": {
			memory: Memory{TotalBlocks: 100, FreeBlocks: 70, EvictableBlocks: 30}, requested: 101,
			want: EvictionPlan{EvictBlocks: 30, ShortfallBlocks: 1, Infeasible: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := decide(tc.memory, tc.requested, tc.reserve, tc.minimum, tc.throttled)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzDecide(f *testing.F) {
	f.Add(uint16(40), uint16(30), uint16(30), uint16(45), uint16(10), uint16(70), true)
	f.Add(uint16(0), uint16(0), uint16(0), uint16(1), uint16(1), uint16(1), false)
	f.Fuzz(func(t *testing.T, free, evictable, held, requested, reserve, minimum uint16, throttled bool) {
		m := Memory{TotalBlocks: int(free) + int(evictable) + int(held), FreeBlocks: int(free), EvictableBlocks: int(evictable)}
		d := decide(m, int(requested), int(reserve), int(minimum), throttled)
		if d.EvictBlocks < 0 || d.DeferredBlocks < 0 || d.ShortfallBlocks < 0 {
			t.Fatalf("below 0: %+v", d)
		}
		if d.EvictBlocks+d.DeferredBlocks > m.EvictableBlocks {
			t.Fatalf("%+v of %d that can be evicted", d, m.EvictableBlocks)
		}
		floor := int(reserve)
		if held == 0 {
			floor = 0
		}
		after := m.FreeBlocks + d.EvictBlocks - int(requested)
		if after < floor && d.EvictBlocks < m.EvictableBlocks {
			t.Fatalf("%d blocks free after %+v, the floor is %d", after, d, floor)
		}
		if short := max(0, floor-after); d.ShortfallBlocks != short {
			t.Fatalf("shortfall %d, want %d", d.ShortfallBlocks, short)
		}
		if d.Infeasible != (int(requested) > m.TotalBlocks) {
			t.Fatalf("infeasible: %t", d.Infeasible)
		}
		free2 := decide(m, int(requested), int(reserve), int(minimum), !throttled)
		wanted := d.EvictBlocks + d.DeferredBlocks + d.ShortfallBlocks
		if other := free2.EvictBlocks + free2.DeferredBlocks + free2.ShortfallBlocks; wanted != other {
			t.Fatalf("the throttle changes what is wanted from %d to %d", other, wanted)
		}
		if !throttled && d.DeferredBlocks != 0 {
			t.Fatalf("deferred without a throttle: %+v", d)
		}
		if !throttled && m.FreeBlocks+d.EvictBlocks+m.heldBlocks() < min(int(minimum), m.TotalBlocks) {
			t.Fatalf("%+v leaves less than the minimum of %d", d, minimum)
		}
	})
}
