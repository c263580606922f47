// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// firstComeOrdering is fcfs-ordering-policy: who came first goes first.
type firstComeOrdering struct{}

func (firstComeOrdering) rank(i *flowItem) simtime.Time { return i.since }

// earliestDeadlineOrdering is edf-ordering-policy: who would be given up first
// goes first, by when it came and how long requests may wait. Where they may
// wait for ever, that is first come, first served.
type earliestDeadlineOrdering struct{ ttl time.Duration }

func (o earliestDeadlineOrdering) rank(i *flowItem) simtime.Time {
	if o.ttl <= 0 {
		return simtime.Never
	}
	return i.since.Add(o.ttl)
}

// statedDeadlineOrdering is slo-deadline-ordering-policy: who was promised its
// first token at the earliest goes first, by when it arrived and the TTFT that
// it states (x-llm-d-slo-ttft-ms, whole milliseconds). Who states none goes
// last.
type statedDeadlineOrdering struct{}

func (statedDeadlineOrdering) rank(i *flowItem) simtime.Time {
	if i.request.TTFT <= 0 {
		return simtime.Never
	}
	return i.request.Arrival.Add(i.request.TTFT.Truncate(time.Millisecond))
}
