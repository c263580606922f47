// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"cmp"
	"slices"

	"windtunnel.dev/windtunnel/pkg/workload"
)

// ordered are requests of a source in the order in which the real EPP chose for them.
type ordered struct {
	workload.Source
	requests []workload.Request
	next     int
}

// inOrder are the requests of an open loop that the real EPP was asked for, and in which requests may wait.
// Each comes when it chose, and so their numbers are others than those of the source.
func (c *Choices) inOrder(s workload.Source, waits bool) *ordered {
	o := &ordered{Source: s}
	for q, more := s.Next(); more && q.ID <= c.last; q, more = s.Next() {
		if made, known := c.of[identityOf(&q)]; known {
			q.Arrival = made.at(waits)
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
