// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/queue"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// line is the requests that wait in a replica or are on their way there, in the order of
// its scheduler.
type line struct {
	// entries are requests on their way to the wait queue.
	entries queue.Entries
	Waiting queue.Waiting
	// Scheduler orders the queue, and service counts for it.
	Scheduler scheduling.Scheduler
	service   *queue.Service
	// Watch measures what the order of the queue does; nil where no pool and no listener
	// asks.
	Watch *QueueWatch
	// loading counts the requests that have left the queue for a while, as their KV is on its
	// way here, from other replicas or from tiers. Holding counts those in the queue with
	// blocks, whose KV has come: then Holding <= Waiting.Len().
	Loading, Holding int32
	// joins counts the requests that came into the queue from outside of a step's forming;
	// seen is how many there were when the step under way began, and cutoff the last
	// that the step being formed may have. seen <= joins.
	joins, seen, cutoff int64

	jobs    []scheduling.Job // scratch
	skipped []int32          // scratch
}

// joined notes that a request has come into the wait queue that was not there when the
// step under way began, if one is.
func (w *line) joined(q *request.Request) {
	w.joins++
	q.Join = w.joins
}

// openSchedule lets those into an empty step who came too late for it: an engine without
// work takes them at once. It returns false if there are none.
func (w *line) openSchedule() bool {
	late := w.joins > w.cutoff
	w.cutoff = noCutoff
	return late
}

// isLate says whether a request that waits came too late for the step being formed.
func (w *line) isLate(q *request.Request) bool { return q.Join > w.cutoff }

// skip takes the front of the wait queue out for the rest of an admission.
func (w *line) skip(id int32) {
	w.Waiting.Pop()
	w.skipped = append(w.skipped, id)
}

// noCutoff is the cutoff of a step that may have all who wait.
const noCutoff = math.MaxInt64

// closeSchedule has the next step formed of those who were there when the step that has just
// ended began: an engine that schedules asynchronously made the schedule then.
func (w *line) closeSchedule() { w.cutoff = w.seen }
