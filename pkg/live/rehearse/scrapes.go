// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"slices"
	"sort"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Scrapes are what the real EPP read from the metrics of each endpoint, in order of time.
type Scrapes [][]scrape

// scrape is one of one endpoint, At in nanoseconds since 1970 by the clock of the machine.
type scrape struct {
	At          int64   `json:"at"`
	Waiting     int     `json:"waiting"`
	Running     int     `json:"running"`
	KVUsage     float64 `json:"kvUsage"`
	BlockTokens int     `json:"blockTokens"`
	Blocks      int     `json:"blocks"`
}

// before returns the latest scrape of an endpoint before a time in Unix nanoseconds, or nil if there is none.
func (s Scrapes) before(endpoint int, at int64) *scrape {
	all := s[endpoint]
	n := sort.Search(len(all), func(i int) bool { return all[i].At >= at })
	if n == 0 {
		return nil
	}
	return &all[n-1]
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
func (s Scrapes) seen(view *policy.View, of *Choices, when simtime.Time) *policy.View {
	seen, at := *view, of.wall(when).UnixNano()
	seen.Changed = nil // any may have
	seen.Scrapes = slices.Clone(view.Scrapes)
	for i := range seen.Scrapes {
		if last := s.before(i, at); last != nil {
			seen.Scrapes[i] = policy.Scrape{
				At:      view.Now.Add(-of.ofWorkload(time.Duration(at - last.At))),
				Waiting: last.Waiting, Running: last.Running, KVUsage: last.KVUsage, BlockTokens: last.BlockTokens, Blocks: last.Blocks,
			}
		}
	}
	return &seen
}

// asScraped shows a simulated EPP the scrapes of the real one, and the ends that it had counted. A request has waited at
// the real one, and does not wait again.
type asScraped struct {
	router
	scrapes Scrapes
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
	case made.Endpoint < 0:
		return policy.Route{}, policy.ErrNoEndpoint
	}
	at := a.choices.at(&made, a.waits)
	a.ends.until(at)
	to, err := a.Schedule(a.scrapes.seen(view, a.choices, at), request)
	if err == nil {
		a.ends.routed(request, to.Endpoint, made.Ended)
	}
	return to, err
}

// queueAsScraped shows the scrapes to what a simulated EPP holds back all the same, such as a burst.
type queueAsScraped struct {
	policy.Queue
	scrapes Scrapes
	choices *Choices
}

// Release implements [policy.Queue].
func (q *queueAsScraped) Release(view *policy.View) (policy.Released, bool) {
	return q.Queue.Release(q.scrapes.seen(view, q.choices, view.Now))
}
