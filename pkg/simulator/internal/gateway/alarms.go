// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"

	"windtunnel.dev/windtunnel/pkg/simulator/internal/events"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// alarms are events of requests in flight, one for each slot that has had one.
type alarms struct {
	queue  *events.Queue
	kind   events.Kind
	bySlot []*events.Event
}

// set lets the event of a request come at a time.
func (a *alarms) set(id int32, number int, at simtime.Time) {
	for int(id) >= len(a.bySlot) {
		a.bySlot = append(a.bySlot, nil)
	}
	if a.bySlot[id] == nil {
		e := events.Idle(a.kind, 0)
		e.Request = id
		a.bySlot[id] = &e
	}
	e := a.bySlot[id]
	e.Sequence = number
	a.queue.Move(e, at)
}

// move lets an event that is set come at another time.
func (a *alarms) move(id int32, at simtime.Time) { a.queue.Move(a.bySlot[id], at) }

// stop forgets the event of a slot, if it is set.
func (a *alarms) stop(id int32) {
	if int(id) < len(a.bySlot) && a.bySlot[id] != nil {
		a.move(id, simtime.Never)
	}
}

// Of is the event of a slot that has had one.
func (a *alarms) Of(id int32) *events.Event { return a.bySlot[id] }

// timeOuts are the times at which clients give up requests in flight.
type timeOuts struct {
	alarms
	// last is when the client of a slot gives up if the last token is not there; Never if the
	// client waits for it without end.
	last []simtime.Time
}

// start lets the client of a request in flight give up in time.
func (t *timeOuts) start(id int32, w *workload.Request) {
	last := Deadline(w.Arrival, w.Timeout)
	t.set(id, w.ID, min(Deadline(w.Arrival, w.FirstTokenTimeout), last))
	for int(id) >= len(t.last) {
		t.last = append(t.last, 0)
	}
	t.last[id] = last
}

// Deadline is a time so long after another; Never where that is 0.
func Deadline(from simtime.Time, after time.Duration) simtime.Time {
	if after == 0 || simtime.Time(after) > simtime.Never-from {
		return simtime.Never
	}
	return from.Add(after)
}
