// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"sort"
	"sync"
	"time"

	"windtunnel.dev/windtunnel/pkg/live/replicas"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Scrapes are what the real EPP read from the metrics of each endpoint, and when. It is safe for
// concurrent use.
type Scrapes struct {
	mu sync.Mutex
	of [][]scrape
}

// scrape is one of one endpoint; Scrape.At is not set, nor in JSON.
type scrape struct {
	At time.Time
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
	n := sort.Search(len(all), func(i int) bool { return !all[i].At.Before(at) })
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
	// Schedule is Route without flow control.
	Schedule(view *policy.View, request *policy.Request) (policy.Route, error)
	SetSpeed(speed float64)
}

// seen is a view with the scrapes that the real EPP had read before a time of the workload.
func (s *Scrapes) seen(view *policy.View, of *Choices, when simtime.Time) *policy.View {
	seen, at := *view, of.wall(when)
	seen.Changed = nil // any may have
	seen.Scrapes = make([]policy.Scrape, len(view.Scrapes))
	for i := range view.Scrapes {
		seen.Scrapes[i] = view.Scrapes[i]
		if last, is := s.before(i, at); is {
			seen.Scrapes[i] = last.Scrape
			seen.Scrapes[i].At = view.Now.Add(-of.ofWorkload(at.Sub(last.At)))
		}
	}
	return &seen
}

// asScraped shows a simulated EPP the scrapes of the real one, and the ends that it had counted. A request has waited at
// the real one, and does not wait again.
type asScraped struct {
	router
	scrapes *Scrapes
	// chosen is what the real EPP chose for a request; false where it was not asked.
	chosen func(request int) (choice, bool)
	// waits says that requests wait in the EPP.
	waits   bool
	choices *Choices
	ends    *asEnded
}

// Route implements [policy.Router].
func (a *asScraped) Route(view *policy.View, request *policy.Request) (policy.Route, error) {
	made, known := a.chosen(request.ID)
	switch {
	case !known:
		return a.router.Route(view, request)
	case made.endpoint < 0:
		return policy.Route{}, policy.ErrNoEndpoint
	}
	at := a.choices.at(&made, a.waits)
	a.ends.until(at)
	to, err := a.Schedule(a.scrapes.seen(view, a.choices, at), request)
	if err == nil {
		a.ends.routed(request, to.Endpoint, made.ended)
	}
	return to, err
}

// queueAsScraped shows the scrapes to what a simulated EPP holds back all the same, such as a burst.
type queueAsScraped struct {
	policy.Queue
	scrapes *Scrapes
	choices *Choices
}

// Release implements [policy.Queue].
func (q *queueAsScraped) Release(view *policy.View) (policy.Released, bool) {
	return q.Queue.Release(q.scrapes.seen(view, q.choices, view.Now))
}
