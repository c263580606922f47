// SPDX-License-Identifier: Apache-2.0

package stability

import (
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// decide returns what to evict. requested blocks are to be allocated, reserve
// to be free after that, and minimum to be free or held by what runs; the last
// may be put off where throttled.
func decide(m Memory, requested, reserve, minimum int, throttled bool) EvictionPlan {
	if requested < 0 {
		panic(fmt.Sprintf("stability: a request of %d blocks", requested))
	}
	if m.heldBlocks() == 0 {
		reserve = 0
	}
	floor := max(0, requested+reserve-m.FreeBlocks)
	// What is requested is free before and held after, so it does not matter
	// here.
	target := max(0, min(minimum, m.TotalBlocks)-(m.TotalBlocks-m.EvictableBlocks))

	wanted := max(floor, target)
	evictable := min(wanted, m.EvictableBlocks)
	evict := evictable
	if throttled {
		evict = min(floor, evictable)
	}
	return EvictionPlan{
		EvictBlocks:     evict,
		DeferredBlocks:  evictable - evict,
		ShortfallBlocks: wanted - evictable,
		Infeasible:      requested > m.TotalBlocks,
	}
}

// throttle keeps evictions apart. The first one does not wait.
type throttle struct {
	interval time.Duration
	any      bool
	last     simtime.Time
}

func (t *throttle) holds(at simtime.Time) bool { return t.any && at.Sub(t.last) < t.interval }

func (t *throttle) evicted(at simtime.Time) { t.any, t.last = true, at }
