// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// windowSlots is how many parts a window is counted in. A count leaves the window
// with its part, so the window is between 15 and 16 parts long.
const windowSlots = 16

// Window counts what happened in the last stretch of time. Times of calls do not go
// back.
type Window struct {
	slot   time.Duration
	counts [windowSlots]int64
	sum    int64
	// newest numbers the slot that is counted in, from the start of the run.
	newest int64
}

// NewWindow returns a window of a length, at least 16 ns.
func NewWindow(length time.Duration) Window { return Window{slot: length / windowSlots} }

// Add counts n at a time.
func (w *Window) Add(now simtime.Time, n int64) {
	w.moveTo(now)
	w.counts[w.newest%windowSlots] += n
	w.sum += n
}

// Sum returns what the window counts at a time.
func (w *Window) Sum(now simtime.Time) int64 {
	w.moveTo(now)
	return w.sum
}

// Rate returns Sum per second of the time that the window covers, which is at least
// one of its 16 parts.
func (w *Window) Rate(now simtime.Time) float64 {
	sum := w.Sum(now)
	if sum == 0 {
		return 0
	}
	oldest := simtime.Time(max(w.newest-windowSlots+1, 0)) * simtime.Time(w.slot)
	return float64(sum) / max(now-oldest, simtime.Time(w.slot)).Seconds()
}

// moveTo drops the slots that a time leaves behind.
func (w *Window) moveTo(now simtime.Time) {
	slot := int64(now) / int64(w.slot)
	if slot-w.newest >= windowSlots {
		w.counts, w.sum = [windowSlots]int64{}, 0
		w.newest = slot
		return
	}
	for w.newest < slot {
		w.newest++
		dropped := &w.counts[w.newest%windowSlots]
		w.sum -= *dropped
		*dropped = 0
	}
}
