// SPDX-License-Identifier: Apache-2.0

package autoscaling

import "time"

// queueLength is a rule by the requests that wait for each replica that is wanted.
type queueLength struct {
	bySteps     bool
	target, low float64
	step        int
}

func readQueueLength(l *loader) func() Scaler {
	q := queueLength{
		bySteps: l.Choice("scaleOut", "how many replicas are added: as many as bring the mean to the target, or step", "proportional", "step") == "step",
		target:  l.Positive("target", 5, "the mean number of waiting requests of a replica above which replicas are added"),
		low:     l.Positive("low", 0.5, "the mean below which replicas are taken away"),
		step:    l.Count("step", 1, "the replicas that are taken away at once, and added at once with scaleOut=step"),
	}
	if q.low >= q.target {
		l.Invalid("low", "must be less than target")
	}
	return eachPoolOf(l, q, readCooldowns(l, time.Minute, 5*time.Minute))
}

func (q queueLength) propose(at *place) proposal {
	s := at.Monitor.Latest(at.Now)
	if s == nil {
		return at.keep("no signal: there is no sample yet")
	}
	if s.scraped(at.pool) == 0 {
		return at.keep("no signal: no replica is up")
	}
	waiting, wanted := s.waiting(at.pool, at.k == 0), at.pool.Wanted
	mean := float64(waiting) / float64(max(wanted, 1))
	at.note("waiting", mean)
	wait := counted(waiting, "request waits", "requests wait")
	switch starting := at.pool.starting(); {
	case mean > q.target && !q.bySteps:
		return proposal{ceil(float64(waiting) / q.target), reasonf("%s, %.3g for each replica, above %.3g", wait, mean, q.target)}
	case mean > q.target && starting > 0:
		return at.keep("%s, %.3g for each replica, above %.3g, while %s", wait, mean, q.target, starts(starting))
	case mean > q.target:
		return proposal{wanted + q.step, reasonf("%s, %.3g for each replica, above %.3g", wait, mean, q.target)}
	case mean < q.low:
		return proposal{max(wanted-q.step, 0), reasonf("%s, %.3g for each replica, below %.3g", wait, mean, q.low)}
	default:
		return at.keep("%s, %.3g for each replica, between %.3g and %.3g", wait, mean, q.low, q.target)
	}
}
