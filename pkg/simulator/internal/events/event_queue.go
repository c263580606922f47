// SPDX-License-Identifier: Apache-2.0

package events

import (
	"container/heap"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Kind is what happens above the replicas. The order of the kinds is
// the order of the events of one nanosecond.
type Kind uint8

// The kinds, in order. An arrival and the end of the drain are never queued: the
// source and the horizon say when they come, and they mark how far the queue is
// served first.
const (
	// MonitorReads lets a monitoring system scrape what a scaler reads.
	MonitorReads Kind = iota
	// WarmUpEnds starts the figures of the replicas afresh.
	WarmUpEnds
	// DisruptionComes applies a Disruption.
	DisruptionComes
	// NodeChanges lets a node come, or takes it away.
	NodeChanges
	// StageEnds brings a replica that starts or drains on.
	StageEnds
	// RequestTimesOut is the end of a client's patience.
	RequestTimesOut
	// RequestArrives is the next request of the source.
	RequestArrives
	// DelayEnds asks the admission again about a request that it made wait.
	DelayEnds
	// GatewayWakes lets the router release requests that it holds.
	GatewayWakes
	// ScalerTicks asks a scaler.
	ScalerTicks
	// DrainEnds cuts off what is still in flight.
	DrainEnds
)

// Event is one event above the replicas. Events are ordered by time, kind
// and sequence, and no two queued events are equal in all three.
type Event struct {
	At   simtime.Time
	Kind Kind
	// Sequence orders events of one time and kind. Of disruptions it is the index
	// in Config.Disruptions, of time-outs and delays the request's ID, of scaling the
	// index of the unit, the node or the endpoint.
	Sequence int
	// Request is the slot of the request that times out or is delayed.
	Request int32
	// place is where the event stands in the queue; notQueued if it does not.
	place int
}

// notQueued is the place of an event that is not in the queue.
const notQueued = -1

// Idle returns an event that is not in the queue.
func Idle(kind Kind, sequence int) Event {
	return Event{At: simtime.Never, Kind: kind, Sequence: sequence, place: notQueued}
}

// Queued reports whether the event is in the queue.
func (e *Event) Queued() bool { return e.place != notQueued }

// Before reports whether an event comes before another one.
func (e *Event) Before(f *Event) bool {
	switch {
	case e.At != f.At:
		return e.At < f.At
	case e.Kind != f.Kind:
		return e.Kind < f.Kind
	default:
		return e.Sequence < f.Sequence
	}
}

// Queue is the queue of events above the replicas.
type Queue struct{ queue eventHeap }

// Add queues an event.
func (c *Queue) Add(e *Event) { heap.Push(&c.queue, e) }

// Move gives an event another time. The event of time Never leaves the queue.
func (c *Queue) Move(e *Event, at simtime.Time) {
	queued := e.place != notQueued
	switch {
	case e.At == at && queued:
	case at == simtime.Never && queued:
		heap.Remove(&c.queue, e.place)
	case at == simtime.Never:
	case queued:
		e.At = at
		heap.Fix(&c.queue, e.place)
	default:
		e.At = at
		heap.Push(&c.queue, e)
	}
	e.At = at
}

// Next takes the first event out of the queue if it comes before an event of a time
// and kind; nil if none does.
func (c *Queue) Next(at simtime.Time, kind Kind) *Event {
	if len(c.queue) == 0 || !c.queue[0].Before(&Event{At: at, Kind: kind}) {
		return nil
	}
	return heap.Pop(&c.queue).(*Event)
}

// Due is the time of the first event; Never if there is none.
func (c *Queue) Due() simtime.Time {
	if len(c.queue) == 0 {
		return simtime.Never
	}
	return c.queue[0].At
}

// eventHeap implements [heap.Interface].
type eventHeap []*Event

func (h eventHeap) Len() int { return len(h) }

func (h eventHeap) Less(i, j int) bool { return h[i].Before(h[j]) }

func (h eventHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

// Push appends an event.
func (h *eventHeap) Push(x any) {
	e := x.(*Event)
	e.place = len(*h)
	*h = append(*h, e)
}

// Pop drops the last event.
func (h *eventHeap) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	e.place = notQueued
	return e
}
