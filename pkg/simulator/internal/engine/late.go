// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"math"
	"slices"
)

// noCutoff is the cutoff of a step that may have all who wait.
const noCutoff = math.MaxInt64

// closeSchedule has an engine that schedules asynchronously form the next step of those
// who were there when the step that has just ended began: it made the schedule then.
func (r *Replica) closeSchedule() {
	if r.asynchronous {
		r.cutoff = r.seen
	}
}

// requeueSkipped puts those back into the queue that an admission skipped.
func (r *Replica) requeueSkipped() {
	for _, id := range slices.Backward(r.skipped) {
		r.Waiting.Insert(r.ticket(id))
	}
	r.skipped = r.skipped[:0]
}
