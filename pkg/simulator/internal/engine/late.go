// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// noCutoff is the cutoff of a step that may have all who wait.
const noCutoff = math.MaxInt64

// joined notes that a request has come into the wait queue that was not there when the
// step under way began, if one is.
func (r *Replica) joined(q *request.Request) {
	r.joins++
	q.Join = r.joins
}

// closeSchedule has an engine that schedules asynchronously form the next step of those
// who were there when the step that has just ended began: it made the schedule then.
func (r *Replica) closeSchedule() {
	if r.asynchronous {
		r.cutoff = r.seen
	}
}

// openSchedule lets those into an empty step who came too late for it: an engine without
// work takes them at once. It returns false where there are none.
func (r *Replica) openSchedule() bool {
	late := r.joins > r.cutoff
	r.cutoff = noCutoff
	return late
}

// isLate says whether a request that waits came too late for the step being formed.
func (r *Replica) isLate(q *request.Request) bool { return q.Join > r.cutoff }

// skip takes the front of the wait queue out for the rest of an admission.
func (r *Replica) skip(id int32) {
	r.Waiting.Pop()
	r.skipped = append(r.skipped, id)
}

// requeueSkipped puts those back into the queue that an admission skipped.
func (r *Replica) requeueSkipped() {
	for _, id := range slices.Backward(r.skipped) {
		r.Waiting.Insert(r.ticket(id))
	}
	r.skipped = r.skipped[:0]
}
