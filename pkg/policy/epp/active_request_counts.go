// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// activeRequestCounts are what active-request-scorer counted itself, up to
// scheduler-v0.8: a request on the endpoint of each profile that ran, from its
// pick to the end of its answer, or until a sweep, one every timeout, that finds
// it older than the timeout. Scores are relative to the greatest count of all
// endpoints, candidates or not. Endpoints that are gone keep what they have.
//
// In scheduler-v0.3 the answer's headers end it. Up to scheduler-v0.4 an end is
// of the endpoint that decodes only, what the prefill profile chose waits for the
// sweep, and an endpoint that both chose never loses its second count. An answer
// that breaks off is no end up to then.
type activeRequestCounts struct {
	at            version.Release // llm-d's
	timeout       time.Duration
	idleThreshold int64
	maxBusyScore  float64

	counts []int64
	// counted are in the order of routing; first is the number of the first.
	counted []countedRequest
	first   int
	// open are the numbers of the requests that have not ended.
	open *scheduler.Ledger[int]
	// swept is when the last sweep was.
	swept simtime.Time
	// whole is the request that has just ended whole, and ended when.
	whole int
	ended simtime.Time
}

// A countedRequest has a decode and a prefill endpoint, none where it does not
// count for one, or no longer.
type countedRequest struct {
	routed          simtime.Time
	decode, prefill int
}

const noRequest = -1

func newActiveRequestCounts(b *scheduler.Builder, p *activeRequestParameters) *activeRequestCounts {
	return &activeRequestCounts{
		at:            b.Dialect.Own,
		timeout:       p.timeout(),
		idleThreshold: int64(p.IdleThreshold),
		maxBusyScore:  p.MaxBusyScore,
		counts:        make([]int64, b.Endpoints),
		open:          scheduler.NewLedger[int](),
		whole:         noRequest,
	}
}

func (s *activeRequestCounts) Score(c *scheduler.Cycle, candidates []int, w scheduler.Weight, scores []float64) {
	s.sweep(c.Now)
	greatest := slices.Max(s.counts)
	for i, e := range candidates {
		scores[i] = w.Of(busyScore(s.counts[e], greatest, s.idleThreshold, s.maxBusyScore))
	}
}

// sweep takes off what had timed out when the last sweep was due.
func (s *activeRequestCounts) sweep(now simtime.Time) {
	due := simtime.Time(time.Duration(now) / s.timeout * s.timeout)
	if due == s.swept {
		return
	}
	s.swept = due
	n := 0
	for n < len(s.counted) && due.Sub(s.counted[n].routed) > s.timeout {
		s.take(&s.counted[n].decode)
		s.take(&s.counted[n].prefill)
		n++
	}
	s.counted = slices.Delete(s.counted, 0, n)
	s.first += n
}

// take takes a request off one of its endpoints.
func (s *activeRequestCounts) take(endpoint *int) {
	if *endpoint != scheduler.None {
		s.counts[*endpoint]--
		*endpoint = scheduler.None
	}
}

func (s *activeRequestCounts) Routed(c *scheduler.Cycle, p scheduler.Picks) {
	s.sweep(c.Now)
	s.counts[p.Primary]++
	if p.Prefill != scheduler.None {
		s.counts[p.Prefill]++
	}
	if p.Prefill == p.Primary && s.at <= version.Scheduler04 {
		p.Prefill = scheduler.None
	}
	s.open.Put(c.Request, s.first+len(s.counted))
	s.counted = append(s.counted, countedRequest{c.Now, p.Primary, p.Prefill})
}

func (s *activeRequestCounts) FirstToken(request *policy.Request, _ int) {
	if s.at <= version.Scheduler03 {
		s.end(request.ID)
	}
}

func (s *activeRequestCounts) Used(at simtime.Time, request *policy.Request, _ int) {
	s.whole, s.ended = request.ID, at
}

func (s *activeRequestCounts) Finished(request *policy.Request, _ int) {
	whole := s.whole == request.ID
	s.whole = noRequest
	if !whole && s.at <= version.Scheduler04 {
		s.open.Remove(request.ID)
		return
	}
	if whole {
		s.sweep(s.ended)
		if r := s.Of(request.ID); r != nil && s.ended.Sub(r.routed) > s.timeout {
			// It has timed out, and the next sweep takes it.
			s.open.Remove(request.ID)
			return
		}
	}
	s.end(request.ID)
}

// Of returns nil for a request that has ended or was swept.
func (s *activeRequestCounts) Of(request int) *countedRequest {
	if number := s.open.Of(request); number != nil && *number >= s.first {
		return &s.counted[*number-s.first]
	}
	return nil
}

func (s *activeRequestCounts) end(request int) {
	if r := s.Of(request); r != nil {
		s.take(&r.decode)
		if s.at > version.Scheduler04 {
			s.take(&r.prefill)
		}
	}
	s.open.Remove(request)
}
