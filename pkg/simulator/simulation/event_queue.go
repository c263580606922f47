// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"container/heap"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// clusterEventKind is what happens above the replicas. The order of the kinds is
// the order of the events of one nanosecond.
type clusterEventKind uint8

// The kinds, in order. An arrival and the end of the drain are never queued: the
// source and the horizon say when they come, and they mark how far the queue is
// served first.
const (
	// monitorReads lets a monitoring system scrape what a scaler reads.
	monitorReads clusterEventKind = iota
	// warmUpEnds starts the figures of the replicas afresh.
	warmUpEnds
	// disruptionComes applies a Disruption.
	disruptionComes
	// nodeChanges lets a node come, or takes it away.
	nodeChanges
	// stageEnds brings a replica that starts or drains on.
	stageEnds
	// requestTimesOut is the end of a client's patience.
	requestTimesOut
	// requestArrives is the next request of the source.
	requestArrives
	// delayEnds asks the admission again about a request that it made wait.
	delayEnds
	// gatewayWakes lets the router release requests that it holds.
	gatewayWakes
	// scalerTicks asks a scaler.
	scalerTicks
	// drainEnds cuts off what is still in flight.
	drainEnds
)

// clusterEvent is one event above the replicas. Events are ordered by time, kind
// and sequence, and no two queued events are equal in all three.
type clusterEvent struct {
	at   simtime.Time
	kind clusterEventKind
	// sequence orders events of one time and kind. Of disruptions it is the index
	// in Config.Disruptions, of time-outs and delays the request's ID, of scaling the
	// index of the unit, the node or the endpoint.
	sequence int
	// request is the slot of the request that times out or is delayed.
	request int32
	// place is where the event stands in the queue; notQueued if it does not.
	place int
}

const notQueued = -1

func (e *clusterEvent) Before(f *clusterEvent) bool {
	switch {
	case e.at != f.at:
		return e.at < f.at
	case e.kind != f.kind:
		return e.kind < f.kind
	default:
		return e.sequence < f.sequence
	}
}

// clusterEvents is the queue of events above the replicas.
type clusterEvents struct{ queue eventHeap }

// add queues an event.
func (c *clusterEvents) add(e *clusterEvent) { heap.Push(&c.queue, e) }

// move gives an event another time. The event of time Never leaves the queue.
func (c *clusterEvents) move(e *clusterEvent, at simtime.Time) {
	queued := e.place != notQueued
	switch {
	case e.at == at && queued:
	case at == simtime.Never && queued:
		heap.Remove(&c.queue, e.place)
	case at == simtime.Never:
	case queued:
		e.at = at
		heap.Fix(&c.queue, e.place)
	default:
		e.at = at
		heap.Push(&c.queue, e)
	}
	e.at = at
}

// next takes the first event out of the queue if it comes before an event of a time
// and kind; nil if none does.
func (c *clusterEvents) next(at simtime.Time, kind clusterEventKind) *clusterEvent {
	if len(c.queue) == 0 || !c.queue[0].Before(&clusterEvent{at: at, kind: kind}) {
		return nil
	}
	return heap.Pop(&c.queue).(*clusterEvent)
}

// due is the time of the first event; Never if there is none.
func (c *clusterEvents) due() simtime.Time {
	if len(c.queue) == 0 {
		return simtime.Never
	}
	return c.queue[0].at
}

// eventHeap implements [heap.Interface].
type eventHeap []*clusterEvent

func (h eventHeap) Len() int { return len(h) }

func (h eventHeap) Less(i, j int) bool { return h[i].Before(h[j]) }

func (h eventHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

// Push appends an event.
func (h *eventHeap) Push(x any) {
	e := x.(*clusterEvent)
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
