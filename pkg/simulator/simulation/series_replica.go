// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// replicaGauges follow what a replica shows: how many requests wait and run in it, whether a
// step is under way, and its blocks, which are settled with its use.
type replicaGauges struct {
	queue, blocks gauge
	// prompt and cached are the tokens that were found in the bin under way of the queue.
	prompt, cached int64
}

// found counts the prompt of a request that the replica begins to compute.
func (g *replicaGauges) found(q *request.Request) {
	if g != nil {
		g.prompt += int64(q.Prompt)
		g.cached += int64(q.Cached)
	}
}

// flush ends a bin of what was found.
func (g *replicaGauges) flush() {
	row := &g.queue.bins.rows[g.queue.recorder.place(g.queue.edge-1)]
	row[simulator.SeriesArrived] += g.prompt
	row[simulator.SeriesArrived+1] += g.cached
	g.prompt, g.cached = 0, 0
}

// settle accounts for the time up to now, before something of the replica changes. Where the
// batch only decodes, nothing but its blocks does.
func (g *replicaGauges) settle(r *replica) {
	if g == nil || r.now == g.queue.settled {
		return
	}
	busy := int64(0)
	if r.stepping {
		busy = 1
	}
	waiting, running := int64(r.waiting.Len())+int64(r.port.loading), int64(len(r.batch.running))
	q := &g.queue
	if r.now >= q.edge {
		g.flush()
		q.cross(r.now, waiting, running, busy)
	}
	if r.now > q.settled {
		q.pass(r.now, waiting, running, busy)
	}
}

// end settles the gauges at the end of the run.
func (g *replicaGauges) end(r *replica, end simtime.Time) {
	r.now = end
	g.settle(r)
	s := g.queue.recorder
	g.flush()
	g.queue.flush(s.bin(end))
	g.blocks.end(end, int64(r.cache.Used()))
	t := s.endpoints[r.index]
	t.peakWaiting, t.peakRunning, t.peakBlocks = max(t.peakWaiting, g.queue.peaks[0]), max(t.peakRunning, g.queue.peaks[1]), max(t.peakBlocks, g.blocks.peaks[0])
	present := newGauge(s, t.bins, simulator.SeriesPresent)
	for _, l := range r.lifetimes {
		present.settle(min(l.From, end), 0, 0, 0)
		present.settle(min(l.To, end), 1, 0, 0)
	}
	present.end(end, 0)
}
