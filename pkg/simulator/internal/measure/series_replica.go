// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// ReplicaGauges follow what a replica shows: how many requests wait and run in it, whether a
// step is under way, and its blocks, which are settled with its use.
type ReplicaGauges struct {
	track         *seriesTrack
	queue, Blocks gauge
	// prompt and cached are the tokens that were found in the bin under way of the queue.
	prompt, cached int64
}

// Found counts the prompt of a request that the replica begins to compute.
func (g *ReplicaGauges) Found(q *request.Request) {
	if g != nil {
		g.prompt += int64(q.Prompt)
		g.cached += int64(q.Cached)
	}
}

// flush ends a bin of what was found.
func (g *ReplicaGauges) flush() {
	row := &g.queue.bins.rows[g.queue.recorder.place(g.queue.edge-1)]
	row[simulator.SeriesArrived] += g.prompt
	row[simulator.SeriesArrived+1] += g.cached
	g.prompt, g.cached = 0, 0
}

// Stale reports whether the gauges stand at another time. A nil receiver never is.
func (g *ReplicaGauges) Stale(now simtime.Time) bool { return g != nil && now != g.queue.settled }

// Settle accounts for the time up to now, before something of the replica changes. Where the
// batch only decodes, nothing but its blocks does.
func (g *ReplicaGauges) Settle(now simtime.Time, waiting, running, busy int64) {
	q := &g.queue
	if now >= q.edge {
		g.flush()
		q.cross(now, waiting, running, busy)
	}
	if now > q.settled {
		q.pass(now, waiting, running, busy)
	}
}

// End ends the gauges of a replica that has a number of blocks in use at the end of the run, once
// they are settled.
func (g *ReplicaGauges) End(end simtime.Time, used int, there Lifetimes) {
	s := g.queue.recorder
	g.flush()
	g.queue.flush(s.bin(end))
	g.Blocks.end(end, int64(used))
	t := g.track
	t.peakWaiting, t.peakRunning, t.peakBlocks = max(t.peakWaiting, g.queue.peaks[0]), max(t.peakRunning, g.queue.peaks[1]), max(t.peakBlocks, g.Blocks.peaks[0])
	present := newGauge(s, t.bins, simulator.SeriesPresent)
	for _, l := range there {
		present.settle(min(l.From, end), 0, 0, 0)
		present.settle(min(l.To, end), 1, 0, 0)
	}
	present.end(end, 0)
}
