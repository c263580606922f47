// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/engine"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/run"
)

// sight is what the router sees of the replicas.
type sight struct {
	state   *run.State
	cluster *engine.Cluster
	Scrapes scrapeSchedules
	// live are the endpoints that the router sees as they are.
	live    []int32
	View    policy.View
	changed []int32 // memory of View.Changed
	numbers []int32 // scratch
}

// newSight draws when each endpoint is scraped that the router does not see as it is.
// Until its first scrape the router sees a replica as it starts: idle.
func newSight(state *run.State, cluster *engine.Cluster, c *simulator.Config) sight {
	s := sight{state: state, cluster: cluster}
	phases := make([]simtime.Time, len(s.cluster.Replicas))
	s.View = policy.View{Scrapes: make([]policy.Scrape, len(s.cluster.Replicas)), Traffic: c.Policies.Traffic}
	number := map[int]int{} // of the next endpoint, by router
	var intervals []time.Duration
	endpoints := map[time.Duration][]int32{}
	for i := range s.cluster.Replicas {
		pool := &c.Pools[s.cluster.Replicas[i].Pool]
		s.View.Scrapes[i] = s.cluster.Replicas[i].Scraped(0)
		if pool.Live {
			s.live = append(s.live, int32(i))
			number[pool.Router]++
			continue
		}
		interval := c.ScrapeIntervalOf(pool)
		if endpoints[interval] == nil {
			intervals = append(intervals, interval)
		}
		endpoints[interval] = append(endpoints[interval], int32(i))
		phases[i] = scrapePhase(c.Seed, number[pool.Router], int64(interval))
		number[pool.Router]++
	}
	s.viewAdapters()
	if c.Policies.Routing.Engines {
		s.viewEngines()
	}
	s.viewPresence()
	s.changed = make([]int32, 0, len(s.cluster.Replicas)+1)
	for _, interval := range intervals {
		s.Scrapes = append(s.Scrapes, NewScrapeSchedule(interval, phases, endpoints[interval]))
	}
	return s
}

// ScrapeUntil brings the router's view up to a time, its own nanosecond included.
func (s *sight) ScrapeUntil(now simtime.Time) {
	for {
		endpoint, at, ok := s.Scrapes.Due(now)
		if !ok {
			return
		}
		r := &s.cluster.Replicas[endpoint]
		r.Advance(at)
		s.Read(r, at)
	}
}

// Read puts what a replica's metrics endpoint shows into the view.
func (s *sight) Read(r *engine.Replica, at simtime.Time) {
	seen := &s.View.Scrapes[r.Index]
	now := r.Scraped(at)
	changed := now.Waiting != seen.Waiting || now.Running != seen.Running || now.KVUsage != seen.KVUsage ||
		now.Transfers != seen.Transfers || now.TransferDelay != seen.TransferDelay
	changed = s.readAdapters(r) || changed
	changed = s.readEngine(r, &now) || changed
	if changed && s.View.Changed != nil && len(s.View.Changed) <= len(s.cluster.Replicas) {
		s.View.Changed = append(s.View.Changed, r.Index)
	}
	*seen = now
}

// Show returns the view as it is to be seen now.
func (s *sight) Show() *policy.View {
	s.View.Now = s.state.Now
	for _, endpoint := range s.live {
		s.Read(&s.cluster.Replicas[endpoint], s.state.Now)
	}
	return &s.View
}

// readAdapters puts what a replica's metrics say of adapters into the view, and
// says whether that has changed.
func (s *sight) readAdapters(r *engine.Replica) bool {
	if s.View.Adapters == nil || r.Adapters == nil {
		return false
	}
	seen := &s.View.Adapters[r.Index]
	active, waiting := s.adaptersIn(r)
	if slices.Equal(active, seen.Active) && slices.Equal(waiting, seen.Waiting) {
		return false
	}
	seen.Active = append(seen.Active[:0], active...)
	seen.Waiting = append(seen.Waiting[:0], waiting...)
	return true
}

// adaptersIn returns the adapters that requests run with and those that requests
// wait for, in order of their numbers, as vllm:lora_requests_info has them.
func (s *sight) adaptersIn(r *engine.Replica) (active, waiting []int32) {
	active = s.numbers[:0]
	for _, h := range r.Adapters.Held {
		if h.Running > 0 {
			active = append(active, h.Id)
		}
	}
	n := len(active)
	all := active
	add := func(id int32) {
		if adapter := s.state.Requests.All[id].Info.Adapter; adapter != 0 {
			all = append(all, adapter)
		}
	}
	r.Waiting.Each(add)
	if r.Loading > 0 {
		for i := range s.state.Requests.All {
			if q := &s.state.Requests.All[i]; q.Phase() == request.Loading && q.Replica == r.Index {
				add(int32(i))
			}
		}
	}
	s.numbers = all
	active, waiting = all[:n:n], all[n:]
	slices.Sort(active)
	slices.Sort(waiting)
	return active, slices.Compact(waiting)
}

// viewAdapters lets the router see adapters, where some pool serves them.
func (s *sight) viewAdapters() {
	for i := range s.cluster.Replicas {
		if s.cluster.Replicas[i].Adapters == nil {
			continue
		}
		if s.View.Adapters == nil {
			s.View.Adapters = make([]policy.Adapters, len(s.cluster.Replicas))
		}
		s.View.Adapters[i].Max = s.cluster.Replicas[i].Adapters.Max
	}
}

// viewEngines lets the router see what engines export.
func (s *sight) viewEngines() {
	s.View.Engines = make([]policy.Engine, len(s.cluster.Replicas))
	for i := range s.cluster.Replicas {
		s.cluster.Replicas[i].Exports = &engine.Exports{}
	}
}

// readEngine puts what an engine exports into the view, and says whether that has
// changed.
func (s *sight) readEngine(r *engine.Replica, scrape *policy.Scrape) bool {
	if s.View.Engines == nil {
		return false
	}
	seen := &s.View.Engines[r.Index]
	now := r.Engine(scrape.At, scrape)
	changed := now != *seen
	*seen = now
	return changed
}

// viewPresence lets the router see which replicas are not there at the start, or behind the port
// of another one.
func (s *sight) viewPresence() {
	for i := range s.cluster.Replicas {
		if !s.cluster.Replicas[i].Lifetimes.Present() || s.cluster.Hidden(i) {
			s.SetDown(i, true)
		}
	}
}

// SetDown says whether the router may choose a replica.
func (s *sight) SetDown(endpoint int, down bool) {
	if s.View.Down == nil {
		s.View.Down = make([]bool, len(s.cluster.Replicas))
	}
	s.View.Down[endpoint] = down || s.cluster.Hidden(endpoint)
}

// serves reports whether a router may choose some replica.
func (s *sight) serves(router int) bool {
	for i := range s.cluster.Replicas {
		if s.cluster.Replicas[i].Config.Router == router && (s.View.Down == nil || !s.View.Down[i]) {
			return true
		}
	}
	return false
}
