// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"fmt"
	"math"
	"time"
)

// Of returns what a sample has of a replica; nil where it was not scraped, or another
// one was in its place.
func (s *Sample) Of(r *Replica) *Engine {
	e := &s.Engines[r.Endpoint]
	if !e.Up || e.Started != r.Ready {
		return nil
	}
	return e
}

// scraped counts the replicas of a pool that a sample has.
func (s *Sample) scraped(p *Pool) int {
	n := 0
	for i := range p.Replicas {
		if s.Of(&p.Replicas[i]) != nil {
			n++
		}
	}
	return n
}

// starting counts the replicas that do not serve yet.
func (p *Pool) starting() int {
	n := 0
	for i := range p.Replicas {
		if p.Replicas[i].Stage.Starts() {
			n++
		}
	}
	return n
}

// starts says how many replicas start.
func starts(n int) string { return counted(n, "replica starts", "replicas start") }

// counted says what one or several do.
func counted(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}

// waiting counts the requests that wait in the queues of a pool's replicas. The first
// pool has those that wait at the gateway too.
func (s *Sample) waiting(p *Pool, first bool) int {
	n := 0
	for i := range p.Replicas {
		if e := s.Of(&p.Replicas[i]); e != nil {
			n += e.Waiting
		}
	}
	if first {
		n += s.Gateway.Queued + s.Gateway.Awaiting
	}
	return n
}

// busy sums the shares of the window in which the replicas of a pool had a step under
// way, of those that were up at both ends of it.
func (v *View) busy(p *Pool, window time.Duration) (sum float64, replicas int) {
	oldest, newest, count := v.Monitor.Range(v.Now, window)
	if count < 2 {
		return 0, 0
	}
	span := float64(newest.At.Sub(oldest.At))
	for i := range p.Replicas {
		before, after := oldest.Of(&p.Replicas[i]), newest.Of(&p.Replicas[i])
		if before != nil && after != nil {
			sum += float64(after.Busy-before.Busy) / span
			replicas++
		}
	}
	return sum, replicas
}

// proportional returns how many replicas a load needs that is stated in replicas at
// their target, as a HorizontalPodAutoscaler counts: it measured a number of replicas of
// those that are wanted. Those that were not, because they start, have no load in a
// scale-out, and a full one in a scale-in. within says that the load is within a
// tolerance of the target.
func proportional(load float64, measured, wanted int, tolerance float64) (to int, within bool) {
	missing := float64(max(wanted-measured, 0))
	all := float64(max(wanted, 1))
	switch {
	case load/all > 1+tolerance:
		return ceil(load), false
	case (load+missing)/all < 1-tolerance:
		return ceil(load + missing), false
	default:
		return wanted, true
	}
}

// ceil rounds up what is more than a rounding error above a whole number.
func ceil(x float64) int { return int(math.Ceil(float64(x) - 1e-9)) }
