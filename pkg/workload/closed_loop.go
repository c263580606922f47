// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload/internal/due"
)

// ClosedLoop makes a client a fixed number of users. Each user sends a request, waits
// until the request ends, thinks, and sends the next request. The rate follows from how
// fast the cluster answers.
type ClosedLoop struct {
	// Concurrency is the number of users. At most that many requests are in flight.
	Concurrency int
	// ThinkTime is the time from the end of a user's request to the user's next one.
	ThinkTime Durations
	// Turnaround is the mean of the exponential time that the network and the client take
	// from the end of a user's request to the next one, in addition to the think time.
	Turnaround time.Duration
	// RampUp is the time over which the users send their first requests, at equal
	// distances. With 0 all users begin at once.
	RampUp time.Duration
}

const maxConcurrency = 100_000

// Validate returns the faults of the loop, under the names that the API gives its
// fields.
func (l *ClosedLoop) Validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if l.Concurrency < 1 || l.Concurrency > maxConcurrency {
		errs = append(errs, outOfRange(path.Child("concurrency"), l.Concurrency, 1, maxConcurrency))
	}
	errs = append(errs, l.ThinkTime.Validate(path.Child("thinkTime"))...)
	if l.Turnaround < 0 || l.Turnaround > maxDuration {
		errs = append(errs, field.Invalid(path.Child("turnaround"), l.Turnaround.String(), fmt.Sprintf("must be between 0 s and %v", maxDuration)))
	}
	if l.RampUp < 0 || l.RampUp > maxDuration {
		errs = append(errs, field.Invalid(path.Child("rampUp"), l.RampUp.String(), fmt.Sprintf("must be between 0 s and %v", maxDuration)))
	}
	return errs
}

// begins returns when a user sends the first request.
func (l *ClosedLoop) begins(user int32) simtime.Time {
	return due.RoundNs(float64(l.RampUp) * float64(user) / float64(l.Concurrency))
}

// beginnings are the first requests of the users of a closed loop, or of the loops of all
// copies of a client, in the order of [due.Place.Before]. They are counted: a user who has sent
// nothing takes no memory.
type beginnings struct {
	loop     *ClosedLoop
	copies   int32
	from, to int32 // the users who begin at one time
	next     due.Place
}

// newBeginnings returns the beginnings of the loops of a number of copies; nil where the client has
// no loop.
func newBeginnings(loop *ClosedLoop, copies int) *beginnings {
	if loop == nil {
		return nil
	}
	b := &beginnings{loop: loop, copies: int32(copies)}
	b.begin()
	return b
}

// begin goes on to the users who begin at the next time, if there are some.
func (b *beginnings) begin() {
	if b.from = b.to; b.from == int32(b.loop.Concurrency) {
		b.next.At = due.MaxTime
		return
	}
	b.next = due.Place{At: b.loop.begins(b.from), Place: b.from}
	for b.to < int32(b.loop.Concurrency) && b.loop.begins(b.to) == b.next.At {
		b.to++
	}
}

// take returns the next beginning.
func (b *beginnings) take() due.Place {
	taken := b.next
	if b.next.Place++; b.next.Place == b.to {
		b.next.Place = b.from
		b.next.Of++
	}
	if b.next.Of == b.copies {
		b.begin()
	}
	return taken
}

// users are the users of one closed loop under way. A user's place is its number.
type users struct {
	spec       *ClosedLoop
	turnaround Durations
	// think and turn are streams by user, those of the first ones; each user draws from
	// one of both. answered are those who have had an end.
	think, turn []stats.Stream
	answered    []bool
}

func newUsers(spec *ClosedLoop) *users {
	if spec == nil {
		return nil
	}
	return &users{spec: spec, turnaround: Durations{Distribution: stats.Exponential{Mean: spec.Turnaround.Seconds()}}}
}

// thinkTime draws how long a user thinks.
func (u *users) thinkTime(c *client, user int32) time.Duration {
	if u.spec.ThinkTime.isConstant() {
		return u.spec.ThinkTime.draw(nil)
	}
	return u.spec.ThinkTime.draw(u.stream(&u.think, "workload/think/", c, user))
}

// stream returns a user's stream of those with a name.
func (u *users) stream(of *[]stats.Stream, name string, c *client, user int32) *stats.Stream {
	for len(*of) <= int(user) {
		c.buffer = strconv.AppendInt(append(c.buffer[:0], name...), int64(len(*of)), 10)
		c.buffer = append(append(c.buffer, '/'), c.name...)
		*of = append(*of, stats.Stream{})
		(*of)[len(*of)-1].Reset(c.seed, c.buffer)
	}
	return &(*of)[user]
}
