// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
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
	at            release // llm-d's
	timeout       time.Duration
	idleThreshold int64
	maxBusyScore  float64

	counts []int64
	// counted are in the order of routing; first is the number of the first.
	counted []countedRequest
	first   int
	// open are the numbers of the requests that have not ended.
	open *ledger[int]
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

func newActiveRequestCounts(b *builder, p *activeRequestParameters) *activeRequestCounts {
	return &activeRequestCounts{
		at:            b.dialect.own,
		timeout:       p.timeout(),
		idleThreshold: int64(p.IdleThreshold),
		maxBusyScore:  p.MaxBusyScore,
		counts:        make([]int64, b.Endpoints),
		open:          newLedger[int](),
		whole:         noRequest,
	}
}

func (s *activeRequestCounts) score(c *cycle, candidates []int, w weight, scores []float64) {
	s.sweep(c.now)
	greatest := slices.Max(s.counts)
	for i, e := range candidates {
		scores[i] = w.of(busyScore(s.counts[e], greatest, s.idleThreshold, s.maxBusyScore))
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
	if *endpoint != none {
		s.counts[*endpoint]--
		*endpoint = none
	}
}

func (s *activeRequestCounts) routed(c *cycle, p picks) {
	s.sweep(c.now)
	s.counts[p.primary]++
	if p.prefill != none {
		s.counts[p.prefill]++
	}
	if p.prefill == p.primary && s.at <= scheduler04 {
		p.prefill = none
	}
	s.open.put(c.request, s.first+len(s.counted))
	s.counted = append(s.counted, countedRequest{c.now, p.primary, p.prefill})
}

func (s *activeRequestCounts) firstToken(request *policy.Request, _ int) {
	if s.at <= scheduler03 {
		s.end(request.ID)
	}
}

func (s *activeRequestCounts) used(at simtime.Time, request *policy.Request, _ int) {
	s.whole, s.ended = request.ID, at
}

func (s *activeRequestCounts) finished(request *policy.Request, _ int) {
	whole := s.whole == request.ID
	s.whole = noRequest
	if !whole && s.at <= scheduler04 {
		s.open.remove(request.ID)
		return
	}
	if whole {
		s.sweep(s.ended)
		if r := s.of(request.ID); r != nil && s.ended.Sub(r.routed) > s.timeout {
			// It has timed out, and the next sweep takes it.
			s.open.remove(request.ID)
			return
		}
	}
	s.end(request.ID)
}

// of returns nil for a request that has ended or was swept.
func (s *activeRequestCounts) of(request int) *countedRequest {
	if number := s.open.of(request); number != nil && *number >= s.first {
		return &s.counted[*number-s.first]
	}
	return nil
}

func (s *activeRequestCounts) end(request int) {
	if r := s.of(request); r != nil {
		s.take(&r.decode)
		if s.at > scheduler04 {
			s.take(&r.prefill)
		}
	}
	s.open.remove(request)
}
