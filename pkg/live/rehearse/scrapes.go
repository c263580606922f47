// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"sort"
	"sync"
	"time"

	"windtunnel.dev/windtunnel/pkg/live/replicas"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

// Scrapes are what the real EPP read from the metrics of each endpoint, and when. It is safe for
// concurrent use.
type Scrapes struct {
	mu sync.Mutex
	of [][]scrape
}

// scrape is one of one endpoint; Scrape.At is not set.
type scrape struct {
	at time.Time
	policy.Scrape
}

// NewScrapes returns the scrapes of a number of endpoints.
func NewScrapes(endpoints int) *Scrapes { return &Scrapes{of: make([][]scrape, endpoints)} }

// Read takes what an endpoint showed at a time.
func (s *Scrapes) Read(endpoint int, at time.Time, m *replicas.Metrics) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of[endpoint] = append(s.of[endpoint], scrape{at, policy.Scrape{
		Waiting: m.Waiting, Running: m.Running, KVUsage: m.KVUsage, BlockTokens: m.BlockTokens, Blocks: m.Blocks,
	}})
}

// before returns the last scrape of an endpoint before a time; false where there is none.
func (s *Scrapes) before(endpoint int, at time.Time) (scrape, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.of[endpoint]
	n := sort.Search(len(all), func(i int) bool { return !all[i].at.Before(at) })
	if n == 0 {
		return scrape{}, false
	}
	return all[n-1], true
}

// router is an EPP that can be made to follow another.
type router interface {
	policy.Router
	policy.Forcible
	Explain(tell func(*scheduler.Explanation))
}

// asScraped shows a simulated EPP the scrapes of the real one.
type asScraped struct {
	router
	scrapes *Scrapes
	// chosen is when the real EPP chose for a request; false where it was not asked.
	chosen func(request int) (time.Time, bool)
}

// Route implements [policy.Router].
func (a *asScraped) Route(view *policy.View, request *policy.Request) (policy.Route, error) {
	chosen, known := a.chosen(request.ID)
	if !known {
		return a.router.Route(view, request)
	}
	seen := *view
	seen.Changed = nil // any may have
	seen.Scrapes = make([]policy.Scrape, len(view.Scrapes))
	for i := range view.Scrapes {
		seen.Scrapes[i] = view.Scrapes[i]
		if last, is := a.scrapes.before(i, chosen); is {
			seen.Scrapes[i] = last.Scrape
			seen.Scrapes[i].At = view.Now.Add(-chosen.Sub(last.at))
		}
	}
	return a.router.Route(&seen, request)
}
