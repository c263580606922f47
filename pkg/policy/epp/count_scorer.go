// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

// countScorer maps the least count of a scrape to 1 and the greatest to 0,
// linearly; all to 1 if all are equal.
type countScorer struct {
	metric countMetric
	counts []int // by endpoint

	// least and greatest are of the candidates, and how many have them.
	least, greatest               int
	countAtLeast, countAtGreatest int
}

// A countMetric is what of a scrape counts.
type countMetric bool

const (
	waitingRequests countMetric = false
	runningRequests countMetric = true
)

func (m countMetric) Of(s *policy.Scrape) int {
	if m == runningRequests {
		return s.Running
	}
	return s.Waiting
}

func newCountScorer(endpoints int, metric countMetric) *countScorer {
	return &countScorer{metric: metric, counts: make([]int, endpoints)}
}

func (s *countScorer) Score(c *scheduler.Cycle, candidates []int, w scheduler.Weight, scores []float64) {
	for _, e := range candidates {
		s.counts[e] = s.metric.Of(&c.Scrapes[e])
	}
	first := s.counts[candidates[0]]
	s.least, s.greatest = first, first
	for _, e := range candidates {
		s.least, s.greatest = min(s.least, s.counts[e]), max(s.greatest, s.counts[e])
	}
	s.countAtLeast, s.countAtGreatest = 0, 0
	last, score := first, w.Of(s.raw(first))
	for i, e := range candidates {
		n := s.counts[e]
		if n != last {
			last, score = n, w.Of(s.raw(n))
		}
		scores[i] = score
		s.tally(n, 1)
	}
}

func (s *countScorer) Rescore(c *scheduler.Cycle, changed, indexOf []int32, w scheduler.Weight, scores []float64) (rescored []int32, ok bool) {
	for _, e := range changed {
		n, old := s.metric.Of(&c.Scrapes[e]), s.counts[e]
		if n == old {
			continue
		}
		if n < s.least || n > s.greatest {
			return nil, false
		}
		s.tally(old, -1)
		s.tally(n, 1)
		s.counts[e] = n
		scores[indexOf[e]] = w.Of(s.raw(n))
	}
	return changed, s.countAtLeast > 0 && s.countAtGreatest > 0
}

// tally counts an endpoint with the count n, or takes it back.
func (s *countScorer) tally(n, sign int) {
	if n == s.least {
		s.countAtLeast += sign
	}
	if n == s.greatest {
		s.countAtGreatest += sign
	}
}

func (s *countScorer) raw(n int) float64 {
	if s.least == s.greatest {
		return 1
	}
	return float64(s.greatest-n) / float64(s.greatest-s.least)
}
