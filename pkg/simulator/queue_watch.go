// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// QueueUse is what the order of a replica's wait queue did to those who waited.
type QueueUse struct {
	// Inversions counts the admissions of a request to the batch while a request with
	// a higher priority waited that had entered the queue before it.
	Inversions int64
	// Blocked is the time after the forming of a step in which the first request of
	// the queue did not fit into the free KV blocks, while another one would have.
	Blocked time.Duration
}

// queueWatch measures a QueueUse. A nil one measures nothing.
type queueWatch struct {
	QueueUse
	// entries numbers the entries of those who wait into byPriority and bySize: the
	// turn of their tickets there.
	entries map[int32]int64
	entered int64
	// byPriority are those who wait, by priority, and within it in order of the turn
	// in the wait queue, which is the rank here.
	byPriority *lanes
	// bySize are those who wait, the one with the fewest tokens to compute first.
	bySize ticketQueue
	// blocked says that the first one has been blocked since a time.
	blocked bool
	since   simtime.Time
}

func newQueueWatch(p *Pool) *queueWatch {
	if !p.WatchQueue {
		return nil
	}
	return &queueWatch{entries: map[int32]int64{}, byPriority: newLanes(true), bySize: ticketQueue{ranked: true}}
}

// waits notes that a request is in the wait queue.
func (w *queueWatch) waits(q *request, id int32) {
	if w == nil {
		return
	}
	w.entered++
	w.entries[id] = w.entered
	w.byPriority.pushBack(ticket{rank: q.turn, turn: w.entered, id: id, group: priorityGroup(q)})
	w.bySize.pushBack(ticket{rank: int64(q.total - q.computed), turn: w.entered, id: id})
}

// leaves notes that a request is not in the wait queue any more.
func (w *queueWatch) leaves(q *request, id int32) {
	if w == nil {
		return
	}
	w.byPriority.remove(ticket{turn: w.entries[id], group: priorityGroup(q)})
	w.bySize.remove(w.entries[id])
	delete(w.entries, id)
}

// priorityGroup is the lane of a request's priority.
func priorityGroup(q *request) int32 {
	return int32(min(max(q.info.Priority, math.MinInt32), math.MaxInt32))
}

// admitted notes that a request that has left the wait queue runs.
func (w *queueWatch) admitted(q *request) {
	if w == nil {
		return
	}
	for _, lane := range w.byPriority.busy {
		if lane.group > priorityGroup(q) && lane.front().rank < q.turn {
			w.Inversions++
			return
		}
	}
}

// settle counts the time up to which the first request of the queue was blocked.
func (w *queueWatch) settle(now simtime.Time) {
	if w != nil && w.blocked {
		w.Blocked += now.Sub(w.since)
		w.blocked = false
	}
}

// restart begins the figures anew.
func (w *queueWatch) restart(now simtime.Time) {
	if w != nil {
		w.QueueUse = QueueUse{}
		w.since = now
	}
}

// watchFront notes whether the first request of the queue, which was not admitted, is
// blocked: the free blocks do not hold what it needs to be admitted, as if nothing of it
// was cached, and hold what the smallest one needs.
func (r *replica) watchFront(id int32, budget int32) {
	w := r.watch
	if w == nil {
		return
	}
	smallest := w.bySize.front().id
	free := r.cache.Free()
	if r.blocksToStart(id, budget) > free && r.blocksToStart(smallest, budget) <= free {
		w.blocked, w.since = true, r.now
	}
}

// blocksToStart is how many blocks a waiting request needs to be admitted, at most.
func (r *replica) blocksToStart(id int32, budget int32) int {
	q := &r.requests.all[id]
	tokens := q.total - q.computed
	if !r.reserve {
		tokens = min(tokens, r.longPrefill, budget)
	}
	return int(r.blocksOf(tokens))
}
