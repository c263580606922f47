// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// loop replays requests of which an engine has so many at most: the next one is sent at its
// time, or when one ends where that is later.
type loop struct {
	source
	free  int          // how many may be sent now
	since simtime.Time // after the last end
}

// source is what a replay serves, and what hears of ends; nil where nothing waits for one.
func (r *Run) source() (workload.Source, workload.Listener) {
	if r.Concurrency == 0 {
		return &source{requests: r.Requests}, nil
	}
	l := &loop{source: source{requests: r.Requests}, free: r.Concurrency}
	return l, l
}

// Due implements workload.Listener.
func (l *loop) Due() (simtime.Time, bool) {
	if l.free == 0 || l.next == len(l.requests) {
		return 0, false
	}
	return max(l.requests[l.next].Queued, l.since), true
}

// Next implements workload.Source.
func (l *loop) Next() (workload.Request, bool) {
	at, ok := l.Due()
	if !ok {
		return workload.Request{}, false
	}
	l.free--
	r, _ := l.source.Next()
	r.Arrival = at
	return r, true
}

// Ended implements workload.Listener.
func (l *loop) Ended(e workload.End) {
	l.free++
	l.since = e.At + 1
}
