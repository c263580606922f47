// SPDX-License-Identifier: Apache-2.0

package insight

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simulator"
)

// waited counts the requests to which the order of a wait queue did something, as the engine
// sees it (see [simulator.QueueUse]), of those that some replica had.
type waited struct {
	tally
	kind    Type
	longest time.Duration
	marked  func(*simulator.RequestEnd) bool
	// atLeast is how long a request waited for its first token at least.
	atLeast func(*Thresholds) time.Duration
}

func newPriorityInversion() *waited {
	return &waited{
		kind: PriorityInversion, marked: func(e *simulator.RequestEnd) bool { return e.Overtaken },
		atLeast: func(by *Thresholds) time.Duration { return by.InversionMargin },
	}
}

func newHeadOfLine() *waited {
	return &waited{
		kind: HeadOfLineBlocking, marked: func(e *simulator.RequestEnd) bool { return e.Blocked },
		atLeast: func(*Thresholds) time.Duration { return 0 },
	}
}

func (w *waited) ended(c *Collector, r *record) {
	e := &r.end
	if e.Replica == noReplica {
		return
	}
	w.looked++
	until := e.End
	if r.ttft >= 0 {
		until = e.FirstToken
	}
	wait := until.Sub(e.Arrival)
	if w.marked(e) && wait >= w.atLeast(&c.by) {
		w.longest = max(w.longest, wait)
		w.add(r)
	}
}

func (w *waited) anomalies(c *Collector) []Anomaly {
	if !w.found(&c.by) {
		return nil
	}
	return []Anomaly{w.anomaly(w.kind, "", 2*w.share(), Value{"longest time to the first token in s", w.longest.Seconds()})}
}
