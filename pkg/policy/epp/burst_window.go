// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// A burstWindow collects requests from the first one on for the length of the
// window, and then has their places chosen together.
type burstWindow struct {
	parameters *burstParameters
	match      *prefixMatch
	endpoints  int

	waiting []*burstItem
	closes  simtime.Time // where some wait
	// about is what is known of the request under way.
	about burstPlace
}

// isFull reports whether the window takes nobody any more.
func (w *burstWindow) isFull() bool {
	return w.parameters.MaxBatchSize != burstUnlimited && len(w.waiting) >= w.parameters.MaxBatchSize
}

// join lets the request of a cycle wait. The window is not full.
func (w *burstWindow) join(c *cycle, item *burstItem) {
	if len(w.waiting) == 0 {
		w.closes = c.now.Add(time.Duration(w.parameters.WindowDurationMs) * time.Millisecond)
	}
	blockTokens := w.parameters.BlockSizeTokens
	item.chain, item.blocks = truncate(c.prompt.AllStretches(item.chain[:0], blockTokens), w.parameters.maxBlocks())
	prompt.ForAdapter(item.chain, c.adapter)
	item.assigned = none
	w.waiting = append(w.waiting, item)
}

// close chooses places, and returns the requests in the order in which they came.
func (w *burstWindow) close() []*burstItem {
	leaving := w.waiting
	w.waiting = nil
	newBurstPlacement(w.parameters, w.endpoints, leaving).place()
	for _, item := range leaving {
		item.places = append(item.places, burstPlace{blocks: item.blocks, assigned: item.assigned != none, endpoint: item.assigned})
	}
	return leaving
}

// closesAt implements [window].
func (w *burstWindow) closesAt() (simtime.Time, bool) { return w.closes, len(w.waiting) > 0 }

// recall implements [window].
func (w *burstWindow) recall(place burstPlace) { w.about = place }

// produce says that the assigned endpoint holds the whole prompt, and no other
// anything.
func (w *burstWindow) produce(*cycle) {
	clear(w.match.blocks)
	w.match.totalBlocks, w.match.blockTokens = w.about.blocks, w.parameters.BlockSizeTokens
	if w.about.assigned {
		w.match.blocks[w.about.endpoint] = w.about.blocks
	}
}
