// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// loop replays requests of users who wait for each other's ends: the next request is sent at
// its time, or where that is later when a user may send again.
type loop struct {
	source
	// free are the times from which on users may send, the earliest first.
	free  []simtime.Time
	think float64
	draws *stats.Stream
}

// source is what a replay serves, and what hears of ends; nil where nothing waits for one.
func (r *Run) source() (workload.Source, workload.Listener) {
	if r.Concurrency == 0 {
		return &source{requests: r.Requests}, nil
	}
	l := &loop{
		source: source{requests: r.Requests},
		free:   make([]simtime.Time, r.Concurrency),
		think:  r.ThinkSeconds,
		draws:  stats.NewStream(1, "calibrate/think"),
	}
	return l, l
}

// Due implements workload.Listener.
func (l *loop) Due() (simtime.Time, bool) {
	if len(l.free) == 0 || l.next == len(l.requests) {
		return 0, false
	}
	return max(l.requests[l.next].Queued, l.free[0]), true
}

// Next implements workload.Source.
func (l *loop) Next() (workload.Request, bool) {
	at, ok := l.Due()
	if !ok {
		return workload.Request{}, false
	}
	l.free = l.free[1:]
	r, _ := l.source.Next()
	r.Arrival = at
	return r, true
}

// Ended implements workload.Listener.
func (l *loop) Ended(e workload.End) {
	again := e.At + 1
	if l.think > 0 {
		again += nanoseconds(float64(l.think * l.draws.Exponential()))
	}
	at, _ := slices.BinarySearch(l.free, again+1)
	l.free = slices.Insert(l.free, at, again)
}
