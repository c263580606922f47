// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/queue"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/run"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// answers are those on their way to the gateway, and when their streams end.
type answers struct {
	deliveries deliveries
	// Listener is the source where that hears of ends; nil otherwise, and once no
	// more requests arrive. heard says that it has received an end.
	Listener workload.Listener
	heard    bool
	// finishBy is when the streams of all requests have ended whose tokens the
	// engines have given. finishStale says that finishBy leaves out the ends that are
	// on their way to the gateway.
	finishBy    simtime.Time
	finishStale bool
}

// delivery is something of an answer that reaches the gateway at a time: its
// first token, or its end, whose last token came at another time. What arrives
// in one nanosecond is reported in order of the requests' numbers.
type delivery struct {
	at, last simtime.Time
	number   int
	id       int32
	endpoint int32
	ends     bool
}

func (d delivery) Before(e delivery) bool {
	switch {
	case d.at != e.at:
		return d.at < e.at
	case d.number != e.number:
		return d.number < e.number
	default:
		return !d.ends && e.ends
	}
}

// counts says whether the request is still there: its slot may be another's by now.
func (d delivery) counts(s *run.State) bool {
	q := &s.Requests.All[d.id]
	return q.Phase() != request.None && q.Info.ID == d.number
}

// deliveries is a binary heap with the earliest delivery in front.
type deliveries []delivery

func (h *deliveries) push(d delivery) {
	*h = append(*h, d)
	queue.SiftUp(*h)
}

func (h *deliveries) pop() delivery {
	first := (*h)[0]
	last := len(*h) - 1
	(*h)[0] = (*h)[last]
	*h = (*h)[:last]
	queue.SiftDown(*h)
	return first
}

// lastsUntil notes that a stream ends at a time.
func (a *answers) lastsUntil(at simtime.Time) { a.finishBy = max(a.finishBy, at) }

// cancel lets nothing more of an answer reach the gateway, from now on: what is on its
// way is dropped when it comes.
func (a *answers) cancel(now simtime.Time, q *request.Request) {
	if q.Phase() == request.Leaving {
		a.finishBy, a.finishStale = now, true
		return
	}
	a.lastsUntil(now)
}

// streamsEnd is when the streams of all requests have ended whose tokens the engines
// have given.
func (a *answers) streamsEnd(s *run.State) simtime.Time {
	if a.finishStale {
		a.finishStale = false
		for _, d := range a.deliveries {
			if d.ends && d.counts(s) {
				a.lastsUntil(d.at)
			}
		}
	}
	return a.finishBy
}

// hear tells the listener of an end.
func (a *answers) hear(id int, at simtime.Time, how workload.Ending) {
	if a.Listener != nil {
		a.Listener.Ended(workload.End{ID: id, At: at, Ending: how})
		a.heard = true
	}
}

// NextDelivery is when something reaches the gateway that may bring a request; Never
// if no request waits for that.
func (a *answers) NextDelivery() simtime.Time {
	if a.Listener == nil || len(a.deliveries) == 0 {
		return simtime.Never
	}
	return a.deliveries[0].at + 1
}

// NextAnswer is when something of an answer reaches the gateway; Never if nothing is on its way.
func (a *answers) NextAnswer() simtime.Time {
	if len(a.deliveries) == 0 {
		return simtime.Never
	}
	return a.deliveries[0].at
}

// Heard says that the listener has an end.
func (a *answers) Heard() bool { return a.heard }

// StopListening ends what the listener hears, as no more requests arrive.
func (a *answers) StopListening() { a.Listener = nil }

// AwaitEnd forgets the ends that the listener has.
func (a *answers) AwaitEnd() { a.heard = false }
