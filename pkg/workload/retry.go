// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload/internal/due"
)

// Retry says when a client sends a request again that was not answered. A retry is a
// new request with the same prompt and answer.
type Retry struct {
	// Max is the number of retries of one request.
	Max int
	// Backoff is the time from an end to the first retry. Each further retry waits
	// Multiplier times as long as the one before, at most MaxBackoff; 0 is no bound.
	Backoff, MaxBackoff time.Duration
	Multiplier          float64
	// Jitter is the share of the wait that is drawn at random, from 0 to 1: with 1
	// the wait is uniform between 0 and the backoff.
	Jitter float64
	// After are the endings after which the client tries again.
	After []Ending
}

// Bounds of retries.
const (
	maxRetries    = 100
	maxMultiplier = 10
)

// Validate returns the faults of the retries, under the names that the API gives their
// fields.
func (r *Retry) Validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if r.Max < 1 || r.Max > maxRetries {
		errs = append(errs, outOfRange(path.Child("max"), r.Max, 1, maxRetries))
	}
	if r.Backoff < 0 || r.Backoff > maxDuration {
		errs = append(errs, field.Invalid(path.Child("backoff"), r.Backoff.String(), "must be between 0 s and 8760 h"))
	}
	if r.MaxBackoff < 0 || r.MaxBackoff > maxDuration {
		errs = append(errs, field.Invalid(path.Child("maxBackoff"), r.MaxBackoff.String(), "must be between 0 s and 8760 h"))
	} else if r.MaxBackoff != 0 && r.MaxBackoff < r.Backoff {
		errs = append(errs, field.Invalid(path.Child("maxBackoff"), r.MaxBackoff.String(), "must not be less than backoff"))
	}
	if !(r.Multiplier >= 1 && r.Multiplier <= maxMultiplier) {
		errs = append(errs, field.Invalid(path.Child("multiplier"), r.Multiplier, fmt.Sprintf("must be between 1 and %d", maxMultiplier)))
	}
	if !(r.Jitter >= 0 && r.Jitter <= 1) {
		errs = append(errs, field.Invalid(path.Child("jitter"), r.Jitter, "must be between 0 and 1"))
	}
	if len(r.After) == 0 || slices.Contains(r.After, Completed) {
		errs = append(errs, field.Invalid(path.Child("after"), len(r.After), "must list one ending or more, other than completed"))
	}
	return errs
}

// wait is how long a client waits before it sends a request again for the nth time,
// from 1 on, of which u in [0, 1) is what was drawn.
func (r *Retry) wait(n int, u float64) time.Duration {
	longest := maxDuration
	if r.MaxBackoff > 0 {
		longest = r.MaxBackoff
	}
	backoff := min(float64(r.Backoff)*stats.Pow(r.Multiplier, float64(n-1)), float64(longest))
	return time.Duration(due.RoundNs(backoff * (1 - float64(r.Jitter*u))))
}

// WithRetries returns the requests of a source and their retries. Retry gives the
// retries of a client, by its index in the source's labels; nil is none. The requests
// of the source stay what they are, but for their IDs.
func WithRetries(source Listener, retry func(client int) *Retry, seed int64) Listener {
	return &retrying{
		source: source, retry: retry, inFlight: map[int]int32{},
		seed: stats.Hash64(uint64(seed), stats.HashString("workload/retry")),
	}
}

// retrying is the source that WithRetries returns.
type retrying struct {
	source   Listener
	retry    func(client int) *Retry
	seed     uint64
	sent     int
	inFlight map[int]int32 // places in awaited of requests, by ID
	awaited  attempts      // of which the ends are awaited
	due      due.Heap      // of waiting
	waiting  attempts      // to be sent again
}

// attempt is a request that is sent, or is to be sent again.
type attempt struct {
	request Request
	// source is the ID that the source gave the first attempt.
	source int
}

// attempts are attempts by place. Places are used again, so that none is allocated for each
// request.
type attempts struct {
	all  []attempt
	free []int32
}

// keep returns the place of one more attempt.
func (s *attempts) keep(a attempt) int32 {
	if last := len(s.free) - 1; last >= 0 {
		place := s.free[last]
		s.free = s.free[:last]
		s.all[place] = a
		return place
	}
	s.all = append(s.all, a)
	return int32(len(s.all) - 1)
}

// take takes the attempt of a place out.
func (s *attempts) take(place int32) attempt {
	a := s.all[place]
	s.all[place] = attempt{}
	s.free = append(s.free, place)
	return a
}

// Labels implements [Source].
func (r *retrying) Labels() Labels { return r.source.Labels() }

// Due implements [Listener].
func (r *retrying) Due() (simtime.Time, bool) {
	due, known := r.source.Due()
	if len(r.due) > 0 && (!known || r.due[0].At < due) {
		return r.due[0].At, true
	}
	return due, known
}

// Next implements [Source]. At one time, first attempts come before retries.
func (r *retrying) Next() (Request, bool) {
	due, known := r.source.Due()
	if len(r.due) > 0 && (!known || r.due[0].At < due) {
		next := r.due.Pop()
		a := r.waiting.take(next.Place)
		a.request.Arrival = next.At
		return r.send(a), true
	}
	q, ok := r.source.Next()
	if !ok {
		return q, false
	}
	a := attempt{request: q, source: q.ID}
	a.request.First = r.sent
	if r.retry(q.Client) != nil {
		a.request.Prompt.Own = 0 // the retries have it too
	}
	return r.send(a), true
}

func (r *retrying) send(a attempt) Request {
	a.request.ID = r.sent
	r.sent++
	r.inFlight[a.request.ID] = r.awaited.keep(a)
	return a.request
}

// Ended implements [Listener]. The source hears of the end of the last attempt.
func (r *retrying) Ended(e End) {
	place, ok := r.inFlight[e.ID]
	if !ok {
		return
	}
	delete(r.inFlight, e.ID)
	a := r.awaited.take(place)
	retry := r.retry(a.request.Client)
	if retry == nil || a.request.Attempt >= retry.Max || !slices.Contains(retry.After, e.Ending) {
		r.source.Ended(End{ID: a.source, At: e.At, Ending: e.Ending})
		return
	}
	a.request.Attempt++
	r.due.Push(due.Place{At: due.After(e.At, retry.wait(a.request.Attempt, r.draw(&a.request))), Place: r.waiting.keep(a)})
}

// draw returns a number in [0, 1) for an attempt. It depends on the answer, which no
// other request has, and not on who else sends requests.
func (r *retrying) draw(q *Request) float64 {
	return float64(stats.Hash64(r.seed, q.Response, uint64(q.ResponseStart), uint64(q.Attempt))>>11) * 0x1p-53
}
