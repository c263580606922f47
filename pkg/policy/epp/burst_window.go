// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// A burstWindow collects requests from the first one on for the length of the
// window, and then has their places chosen together.
type burstWindow struct {
	parameters *burstParameters
	match      *scheduler.PrefixMatch
	endpoints  int

	waiting []*scheduler.HeldRequest
	closes  simtime.Time // where some wait
	// about is what is known of the request under way.
	about scheduler.WindowResult
}

// IsFull reports whether the window is closed to further requests.
func (w *burstWindow) IsFull() bool {
	return w.parameters.MaxBatchSize != burstUnlimited && len(w.waiting) >= w.parameters.MaxBatchSize
}

// Join lets the request of a cycle wait. The window is not full.
func (w *burstWindow) Join(c *scheduler.Cycle, item *scheduler.HeldRequest) {
	if len(w.waiting) == 0 {
		w.closes = c.Now.Add(time.Duration(w.parameters.WindowDurationMs) * time.Millisecond)
	}
	blockTokens := w.parameters.BlockSizeTokens
	item.Chain, item.Blocks = truncate(c.Prompt.AllStretches(item.Chain[:0], blockTokens), w.parameters.maxBlocks())
	prompt.ForAdapter(item.Chain, c.Adapter)
	item.Assigned = scheduler.None
	w.waiting = append(w.waiting, item)
}

// Close chooses places, and returns the requests in the order in which they came.
func (w *burstWindow) Close() []*scheduler.HeldRequest {
	leaving := w.waiting
	w.waiting = nil
	newBurstPlacement(w.parameters, w.endpoints, leaving).place()
	for _, item := range leaving {
		item.Places = append(item.Places, scheduler.WindowResult{Blocks: item.Blocks, Assigned: item.Assigned != scheduler.None, Endpoint: item.Assigned})
	}
	return leaving
}

// ClosesAt implements the window of [scheduler.Scheduler].
func (w *burstWindow) ClosesAt() (simtime.Time, bool) { return w.closes, len(w.waiting) > 0 }

// Recall implements the window of [scheduler.Scheduler].
func (w *burstWindow) Recall(place scheduler.WindowResult) { w.about = place }

// Produce says that the assigned endpoint holds the whole prompt, and no other
// anything.
func (w *burstWindow) Produce(*scheduler.Cycle) {
	clear(w.match.Blocks)
	w.match.TotalBlocks, w.match.BlockTokens = w.about.Blocks, w.parameters.BlockSizeTokens
	if w.about.Assigned {
		w.match.Blocks[w.about.Endpoint] = w.about.Blocks
	}
}
