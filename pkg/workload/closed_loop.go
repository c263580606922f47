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
	if l.RampUp < 0 || l.RampUp > maxDuration {
		errs = append(errs, field.Invalid(path.Child("rampUp"), l.RampUp.String(), fmt.Sprintf("must be between 0 s and %v", maxDuration)))
	}
	return errs
}

// users are the users of one closed loop under way. A user's place is its number.
type users struct {
	spec  ClosedLoop
	think []*stats.Stream // by user; each draws from a stream of its own
}

func newUsers(spec *ClosedLoop, stream func(string) *stats.Stream) *users {
	if spec == nil {
		return nil
	}
	u := &users{spec: *spec, think: make([]*stats.Stream, spec.Concurrency)}
	for i := range u.think {
		u.think[i] = stream("think/" + strconv.Itoa(i))
	}
	return u
}

// begins returns when a user sends the first request.
func (u *users) begins(user int) simtime.Time {
	return due.RoundNs(float64(u.spec.RampUp) * float64(user) / float64(u.spec.Concurrency))
}

// thinkTime draws how long a user thinks.
func (u *users) thinkTime(user int32) time.Duration { return u.spec.ThinkTime.draw(u.think[user]) }
