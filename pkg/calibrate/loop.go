// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"cmp"
	"math"
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
	// sent is when users who would stay in step sent their first requests: they pause
	// once, as those of a scenario do. nil where they do not.
	sent []simtime.Time
}

// source is what a replay serves, and what hears of ends; nil where nothing waits for one.
func (r *Run) source() (workload.Source, workload.Listener) {
	if r.Concurrency == 0 {
		return &source{requests: r.Requests}, nil
	}
	l := &loop{
		source: source{requests: r.Requests},
		free:   make([]simtime.Time, r.Concurrency),
		think:  cmp.Or(r.ThinkSeconds, r.turnaround.Seconds()),
		draws:  stats.NewStream(1, "calibrate/think"),
	}
	if r.turnaround > 0 && r.staysInStep() {
		l.sent = make([]simtime.Time, r.Concurrency)
	}
	return l, l
}

// staysInStep says whether all requests are there from the start, and their answers have
// about one length.
func (r *Run) staysInStep() bool {
	n, sum, squares := float64(len(r.Requests)), 0.0, 0.0
	for i := range r.Requests {
		if r.Requests[i].Queued > 0 {
			return false
		}
		tokens := float64(r.Requests[i].OutputTokens)
		sum += tokens
		squares += float64(tokens * tokens)
	}
	mean := sum / n
	return math.Sqrt(max(squares/n-float64(mean*mean), 0)) < float64(workload.SteadyVariation*mean)
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
	if r.ID < len(l.sent) {
		l.sent[r.ID] = at
	}
	return r, true
}

// Ended implements workload.Listener.
func (l *loop) Ended(e workload.End) {
	again := e.At + 1
	if l.think > 0 {
		again += nanoseconds(float64(l.think * l.draws.Exponential()))
	}
	if e.ID < len(l.sent) {
		again += nanoseconds(float64((e.At - l.sent[e.ID]).Seconds() * l.draws.Float64()))
	}
	at, _ := slices.BinarySearch(l.free, again+1)
	l.free = slices.Insert(l.free, at, again)
}
