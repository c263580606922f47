// SPDX-License-Identifier: Apache-2.0

package autoscaling

// queueTrigger fires where the mean number of requests that wait for each replica that
// is up is above a threshold, in any pool. Those at the gateway count for the first one.
type queueTrigger struct {
	threshold float64
	held
}

func readQueueTrigger(l *loader) func() Trigger {
	q := queueTrigger{
		threshold: l.Positive("threshold", 5, "the mean number of waiting requests of a replica above which the trigger fires"),
		held:      readHeld(l),
	}
	return func() Trigger { one := q; return &one }
}

func (q *queueTrigger) Fires(view *View) bool {
	s := view.Monitor.Latest(view.Now)
	if s == nil {
		return false
	}
	long := s.Gateway.Awaiting > 0
	for k := range view.Pools {
		p := &view.Pools[k]
		if n := s.scraped(p); n > 0 {
			long = long || float64(s.waiting(p, k == 0)) > float64(q.threshold*float64(n))
		}
	}
	return q.fires(view.Now, either(long))
}
