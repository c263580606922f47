// SPDX-License-Identifier: Apache-2.0

package native

import "slices"

// noHitLRU spreads requests of which no endpoint holds anything: 1 for the endpoint
// that has not been sent such a request for longest, down to 0 for the last one that
// was, and those that never were first. Other requests score 0.5 everywhere. Its
// parameter delay is how late it hears of caches.
type noHitLRU struct {
	caches *caches
	cold   bool  // the request under way
	used   []int // the endpoints that were sent a cold request, longest ago first
	order  []int // scratch
}

func readNoHitLRU(r *reader) func(*builder) scorer {
	delay := r.Delay("delay", cacheSignalDelay, delayHelp)
	return func(b *builder) scorer { return &noHitLRU{caches: b.caches(delay, false)} }
}

func (s *noHitLRU) score(r *round, scores []float64) {
	held := s.caches.look(r)
	s.cold = !slices.ContainsFunc(r.candidates, func(e int) bool { return held[e] > 0 })
	if !s.cold {
		for i := range scores {
			scores[i] = 0.5
		}
		return
	}
	s.order = s.order[:0]
	for _, e := range r.candidates {
		if !slices.Contains(s.used, e) {
			s.order = append(s.order, e)
		}
	}
	for _, e := range s.used {
		if slices.Contains(r.candidates, e) {
			s.order = append(s.order, e)
		}
	}
	for i, e := range r.candidates {
		scores[i] = 1
		if last := len(s.order) - 1; last > 0 {
			scores[i] = 1 - float64(slices.Index(s.order, e))/float64(last)
		}
	}
}

func (s *noHitLRU) routed(_ *round, endpoint int) {
	if !s.cold {
		return
	}
	if at := slices.Index(s.used, endpoint); at >= 0 {
		s.used = slices.Delete(s.used, at, at+1)
	}
	s.used = append(s.used, endpoint)
}
