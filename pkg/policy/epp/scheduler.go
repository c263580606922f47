// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"errors"
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/kvindex"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Scheduler routes requests as the EPP with one configuration would. Like the
// EPP it remembers what it routed where; one simulation owns it.
type Scheduler struct {
	endpoints int
	silent    bool // see stages
	tokensOff bool
	scraped   bool
	detector  saturationDetector
	producers []producer
	admitters []admitter
	staged    staged
	followers []follower
	listeners []listener
	watchers  []watcher
	feed      kvindex.Feed
	estimate  tokenEstimate
	tracer    tracer
	// flow is nil where flow control is off.
	flow requestQueue
	// burst is where requests wait behind it.
	burst burstGate
	// spenders are told what answers cost.
	spenders []spender

	cycle cycle
	// looked is what is seen between requests.
	looked cycle
	// unscraped stands in for scrapes that do not reach the EPP: all metrics 0.
	unscraped []policy.Scrape
}

// newScheduler makes the scheduler of a configuration for a cluster. What is random
// follows from the seed.
func newScheduler(parts Parts, c *Config, cluster Cluster, seed int64) *Scheduler {
	cluster.check()
	return newBuilder(parts, c, cluster, seed).scheduler(parts, c)
}

// Route implements [policy.Router]. There is no error but one that wraps
// [policy.ErrNoEndpoint] and, where requests may wait, [policy.ErrHeld].
func (s *Scheduler) Route(view *policy.View, request *policy.Request) (policy.Decision, error) {
	if s.flow == nil {
		return s.schedule(view, request)
	}
	tell := s.explainRefusals(view)
	err := s.flow.route(view, request)
	if tell != nil && !errors.Is(err, policy.ErrHeld) {
		tell(request, err)
	}
	return policy.Decision{}, err
}

// Routing returns the scheduler with what its plugins take part in. Requests wait
// behind flow control, and in the windows of producers that wait for bursts.
func (s *Scheduler) Routing() policy.Routing {
	r := policy.Routing{Router: s}
	if len(s.listeners) > 0 {
		r.Responses = s
		if len(s.spenders) > 0 {
			r.Usage = s
		}
	}
	if s.flow != nil || len(s.burst.windows) > 0 {
		r.Queue = s
	}
	if s.flow != nil && s.flow.evicts() {
		r.Evictor = s
	}
	if len(s.feed.Digesters) > 0 {
		r.KVEvents = s
	}
	return r
}

// Wake implements [policy.Queue].
func (s *Scheduler) Wake(now simtime.Time) (simtime.Time, bool) {
	at, some := s.burst.wake()
	if s.flow != nil {
		if tick, ok := s.flow.wake(now); ok {
			at, some = min(at, tick), true
		}
	}
	return at, some
}

// Release implements [policy.Queue]: who has waited behind flow control goes
// first.
func (s *Scheduler) Release(view *policy.View) (policy.Released, bool) {
	for item := s.burst.next(view.Now); item != nil; item = s.burst.next(view.Now) {
		to, err := s.resume(view, item)
		if !errors.Is(err, policy.ErrHeld) {
			return policy.Released{Request: item.request.ID, Decision: to, Err: err}, true
		}
	}
	if s.flow == nil || len(s.burst.windows) > 0 && s.flow.isIdle() {
		return policy.Released{}, false
	}
	s.explainRefusals(view)
	return s.flow.release(view)
}

// Evict implements [policy.Evictor].
func (s *Scheduler) Evict(simtime.Time) (int, bool) { return s.flow.evict() }

// explainRefusals has flow control tell of those that come to no profile.
func (s *Scheduler) explainRefusals(view *policy.View) (tell func(*policy.Request, error)) {
	if s.tracer.tell != nil {
		tell = func(request *policy.Request, err error) {
			s.tracer.begin(s.look(view), request, s.detector)
			s.tracer.refuse(err)
		}
	}
	s.flow.explain(tell)
	return tell
}

// schedule chooses endpoints for a request that does not wait for flow control any
// longer, unless it has to wait for a window.
func (s *Scheduler) schedule(view *policy.View, request *policy.Request) (policy.Decision, error) {
	c := s.begin(view, request)
	if s.tracer.tell != nil {
		s.tracer.begin(c, request, s.detector)
	}
	to, err := s.decide(c, request)
	if s.tracer.tell != nil {
		s.tracer.end(s, to, err)
	}
	return to, err
}

// resume is schedule for a request whose window has closed.
func (s *Scheduler) resume(view *policy.View, item *burstItem) (policy.Decision, error) {
	c := s.begin(view, &item.request)
	c.recall(&item.seen)
	if s.burst.keepOn(c, item) {
		return policy.Decision{}, policy.ErrHeld
	}
	if s.tracer.tell != nil {
		s.tracer.begin(c, &item.request, s.detector)
	}
	to, err := s.choose(c)
	if s.tracer.tell != nil {
		s.tracer.end(s, to, err)
	}
	return to, err
}

func (s *Scheduler) decide(c *cycle, request *policy.Request) (policy.Decision, error) {
	if s.flow == nil && request.Priority < 0 && s.detector.saturation(c) >= 1 {
		s.staged.skip()
		return policy.Decision{}, policy.ErrShed
	}
	if c.there > 0 && s.burst.keep(c, request) {
		return policy.Decision{}, policy.ErrHeld
	}
	return s.choose(c)
}

// choose runs what follows where a request waits for nothing any more.
func (s *Scheduler) choose(c *cycle) (policy.Decision, error) {
	if c.there == 0 {
		s.staged.skip()
		return policy.Decision{}, policy.ErrNoEndpoint
	}
	for _, p := range s.producers {
		p.produce(c)
	}
	for i, a := range s.admitters {
		if !a.admits(c) {
			s.tracer.refusedBy = s.tracer.admitters[i]
			s.staged.skip()
			return policy.Decision{}, policy.ErrShed
		}
	}
	chosen, ok := s.staged.run(c)
	if !ok {
		return policy.Decision{}, policy.ErrNoEndpoint
	}
	for _, f := range s.followers {
		f.routed(c, chosen)
	}
	if chosen.prefill == none || chosen.prefill == chosen.primary || s.silent {
		return policy.To(chosen.primary), nil
	}
	return policy.Decision{Endpoint: chosen.primary, Prefill: chosen.prefill}, nil
}

// FirstToken implements [policy.ResponseListener]. It does nothing for a request that is
// not in flight.
func (s *Scheduler) FirstToken(request *policy.Request, endpoint int) {
	for _, l := range s.listeners {
		l.firstToken(request, endpoint)
	}
}

// Finished implements [policy.ResponseListener]. It does nothing for a request that is
// not in flight.
func (s *Scheduler) Finished(request *policy.Request, endpoint int) {
	for _, l := range s.listeners {
		l.finished(request, endpoint)
	}
}

// Used implements [policy.UsageListener].
func (s *Scheduler) Used(at simtime.Time, request *policy.Request, outputTokens int) {
	for _, p := range s.spenders {
		p.used(at, request, outputTokens)
	}
}

// look is what is seen without a request, until the next look.
func (s *Scheduler) look(view *policy.View) *cycle {
	s.looked = cycle{there: s.endpoints, now: view.Now, scrapes: view.Scrapes, unscraped: !s.scraped}
	if view.Down != nil {
		s.looked.lose(view.Down)
	}
	if !s.scraped {
		s.looked.scrapes = s.unscraped
	}
	return &s.looked
}

// begin fills in what the plugins see.
func (s *Scheduler) begin(view *policy.View, request *policy.Request) *cycle {
	if len(view.Scrapes) != s.endpoints {
		panic(fmt.Sprintf("epp: %d scrapes for %d endpoints", len(view.Scrapes), s.endpoints))
	}
	s.feed.Deliver(view.Now)
	c := &s.cycle
	*c = cycle{number: c.number + 1, there: s.endpoints, peer: none, unscraped: !s.scraped}
	c.now, c.scrapes, c.engines, c.adapters = view.Now, view.Scrapes, view.Scrapes, view.Adapters
	c.ask(request)
	if view.Down != nil {
		c.lose(view.Down)
	}
	for _, w := range s.watchers {
		w.forgetGone(c)
	}
	if len(view.Changed) <= s.endpoints {
		c.changed = view.Changed
	}
	if !s.scraped {
		c.scrapes, c.adapters = s.unscraped, nil
	}
	c.prompt, c.tokens = s.estimate.of(request.Prompt, request.Tokens)
	if s.tokensOff {
		c.prompt, c.tokens = prompt.Prompt{}, 0
	}
	return c
}

// A cycle is what plugins see of one request, from Route to the pick.
type cycle struct {
	number  uint64 // of the cycle, from 1
	request int    // its ID
	now     simtime.Time
	// down says of each endpoint whether it is gone; nil where all are there.
	// there counts those that are.
	down    []bool
	there   int
	scrapes []policy.Scrape // len == endpoints
	// engines is scrapes, whether they reach the EPP or not.
	engines []policy.Scrape
	// peer is the endpoint that the profile before has chosen, if the profile
	// handler tells; none otherwise.
	peer int
	// prompt and tokens are what the EPP sees of the prompt, whose length is asked.
	prompt prompt.Prompt
	tokens int
	asked  int
	// tokenised is whether the prompt's tokens are known, where they are not always.
	tokenised bool
	// priority, tenant, session and adapter are the request's, as
	// [policy.Request] has them.
	priority, tenant int
	session, adapter int32
	// headers is the number of the set of headers that the request carries; 0 is
	// none.
	headers int32
	// ttftMs and tpotMs are the latencies that the request states it was
	// promised; 0 states nothing.
	ttftMs, tpotMs float64
	// adapters is len == endpoints, or nil.
	adapters []policy.Adapters
	// changed are the endpoints whose scrape has changed since the last cycle;
	// nil if any may have.
	changed []int32
	// unscraped is whether no metrics reach the EPP, so that all are stale.
	unscraped bool
}

// ask fills in what is asked for.
func (c *cycle) ask(r *policy.Request) {
	c.request, c.asked, c.priority, c.tenant = r.ID, r.Tokens, r.Priority, r.Tenant
	c.session, c.adapter, c.headers = r.Session, r.Adapter, r.Headers
	c.ttftMs, c.tpotMs = inMilliseconds(r.TTFT), inMilliseconds(r.TPOT)
}

// lose takes the endpoints that are down out.
func (c *cycle) lose(down []bool) {
	if len(down) != c.there {
		panic(fmt.Sprintf("epp: %d endpoints, and %d may be gone", c.there, len(down)))
	}
	for _, gone := range down {
		if gone {
			c.down = down
			c.there--
		}
	}
}

// gone reports whether an endpoint is no candidate of any profile.
func (c *cycle) gone(endpoint int) bool { return c.down != nil && c.down[endpoint] }

// first is the first endpoint that is there; one is.
func (c *cycle) first() int {
	e := 0
	for c.gone(e) {
		e++
	}
	return e
}

func inMilliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
