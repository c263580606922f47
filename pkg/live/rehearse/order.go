// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"cmp"
	"slices"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// ordered are requests of a source in the order of times of their choices.
type ordered struct {
	workload.Source
	requests []workload.Request
	next     int
}

// inOrder are the requests of an open loop that the real EPP was asked for. Each comes at a time of the choice, and
// so their numbers are others than those of the source.
func (c *Choices) inOrder(s workload.Source, at func(*choice) simtime.Time) *ordered {
	o := &ordered{Source: s}
	for q, more := s.Next(); more && q.ID <= c.last; q, more = s.Next() {
		if made, known := c.of[identityOf(&q)]; known {
			q.Arrival = at(&made)
			o.requests = append(o.requests, q)
		}
	}
	slices.SortStableFunc(o.requests, func(a, b workload.Request) int { return cmp.Compare(a.Arrival, b.Arrival) })
	return o
}

// Next implements [workload.Source].
func (o *ordered) Next() (workload.Request, bool) {
	if o.next == len(o.requests) {
		return workload.Request{}, false
	}
	q := o.requests[o.next]
	q.ID = o.next
	o.next++
	return q, true
}

// Close implements [io.Closer].
func (o *ordered) Close() error { return workload.Close(o.Source) }
