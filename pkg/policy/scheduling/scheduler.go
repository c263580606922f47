// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"cmp"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Scheduler decides for one engine which request runs next, and which one gives way
// where KV blocks are short. A nil field is a default. One engine owns a Scheduler; it
// is not called concurrently.
type Scheduler struct {
	// Moving comes before Order in the order of the wait queue. It is nil where the
	// place of a request does not change while it waits.
	Moving Moving
	// Order comes next. If it is nil, too, the queue is first come, first served.
	Order Order
	// Victim chooses who gives way; nil is the request that was admitted last.
	Victim Victim
	// Predictor guesses the lengths of answers; nil if no policy asks.
	Predictor Predictor
	// Listener hears what becomes of requests; nil without a listener.
	Listener Listener
	// Service is where the engine counts what tenants get; nil if no policy asks.
	Service *Service
}

// A Factory makes the scheduler of one engine.
type Factory func() Scheduler

// Order ranks a job: the lowest rank is served first, and equal ones in order of Turn.
// It is asked when the job enters the queue, and its answer never changes.
type Order func(Job) int64

// Moving is an order that changes while jobs wait. It is asked at each admission.
type Moving interface {
	// Rank ranks a job, now: the lowest rank is served first, equal ones by Order.
	Rank(job Job, now simtime.Time) float64
	// Group returns the group of a job: jobs of one group never change places. Of a
	// group, an engine asks for the rank of the first job only.
	Group(Job) int32
}

// Victim returns the index of the job that gives way. There is at least one, and they
// are in order of admission.
type Victim func(s *Scheduler, running []Job, now simtime.Time) int

// Listener hears what becomes of the requests of one engine, as it happens.
type Listener interface {
	// Entered says that a job came into the wait queue for the first time.
	Entered(Job)
	// Started says that a job goes from the wait queue into the batch. What it is
	// served from now on is not in Service.
	Started(Job)
	// Preempted says that a job goes back from the batch into the wait queue.
	Preempted(Job)
	// Left says that a job left the engine, waiting or running.
	Left(job Job, waiting bool)
}

// Compare orders jobs, now: the result is negative if a is to be served before b.
func (s *Scheduler) Compare(a, b Job, now simtime.Time) int {
	if s.Moving != nil {
		if c := cmp.Compare(s.Moving.Rank(a, now), s.Moving.Rank(b, now)); c != 0 {
			return c
		}
	}
	if s.Order != nil {
		if c := cmp.Compare(s.Order(a), s.Order(b)); c != 0 {
			return c
		}
	}
	return cmp.Compare(a.Turn, b.Turn)
}
