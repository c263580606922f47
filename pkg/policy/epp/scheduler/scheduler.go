// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"errors"
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/kvindex"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Scheduler routes requests as the EPP with one configuration would. Like the
// EPP it remembers what it routed where; one simulation owns it.
type Scheduler struct {
	Endpoints            int
	prefillHeaderMissing bool // see stages
	tokensOff            bool
	scraped              bool
	Detector             SaturationDetector
	Producers            []Producer
	Admitters            []Admitter
	Staged               staged
	PickListeners        []PickListener
	responseListeners    []ResponseListener
	endpointListeners    []EndpointListener
	// exportedLoads are those of the producers that [config.Config.LoadProducers] names.
	exportedLoads []*InFlightLoad
	believer      Believer // nil where no plugin keeps an index of caches
	feed          kvindex.Feed
	estimate      tokenEstimate
	tracer        tracer
	// flow is nil where flow control is off.
	flow RequestQueue
	// burst is where requests wait behind it.
	burst burstGate
	// usageListeners receive the tokens of answers, firstTokenListeners when these begin.
	usageListeners      []UsageListener
	firstTokenListeners []FirstTokenListener

	Cycle Cycle
	// idleCycle is the cycle between requests.
	idleCycle Cycle
	// unscraped stands in for scrapes that do not reach the EPP: all metrics 0.
	unscraped []policy.Scrape
}

// New makes the scheduler of a configuration for a cluster. What is random
// follows from the seed.
func New(parts Parts, c *config.Config, cluster config.Cluster, seed int64) *Scheduler {
	cluster.Check()
	return NewBuilder(parts, c, cluster, seed).Scheduler(parts, c)
}

// Route implements [policy.Router]. There is no error but one that wraps
// [policy.ErrNoEndpoint] and, where requests may wait, [policy.ErrHeld].
func (s *Scheduler) Route(view *policy.View, request *policy.Request) (policy.Route, error) {
	if s.flow == nil {
		return s.Schedule(view, request)
	}
	tell := s.explainRefusals(view)
	err := s.flow.Route(view, request)
	if tell != nil && !errors.Is(err, policy.ErrHeld) {
		tell(request, err)
	}
	return policy.Route{}, err
}

// Routing returns the scheduler with what its plugins take part in. Requests wait
// behind flow control, and in the windows of producers that wait for bursts.
func (s *Scheduler) Routing() policy.Routing {
	r := policy.Routing{Router: s}
	if len(s.responseListeners) > 0 {
		r.Responses = s
		if len(s.usageListeners) > 0 {
			r.Usage = s
		}
		if len(s.firstTokenListeners) > 0 {
			r.FirstTokens = s
		}
	}
	if s.flow != nil || len(s.burst.windows) > 0 {
		r.Queue = s
	}
	if s.flow != nil && s.flow.Evicts() {
		r.Evictor = s
	}
	if len(s.feed.Digesters) > 0 {
		r.KVEvents = s
	}
	if s.flow != nil || len(s.exportedLoads) > 0 {
		r.Metrics = s
	}
	return r
}

// Export implements [policy.MetricsExporter].
func (s *Scheduler) Export(view *policy.View, _ int, m *policy.RouterMetrics) {
	if s.flow != nil {
		s.flow.Export(view, m)
	}
	all := m.Load(len(s.exportedLoads) * s.Endpoints)
	for i, load := range s.exportedLoads {
		load.export(all[i*s.Endpoints:])
	}
}

// Wake implements [policy.Queue].
func (s *Scheduler) Wake(now simtime.Time) (simtime.Time, bool) {
	at, some := s.burst.Wake()
	if s.flow != nil {
		if tick, ok := s.flow.Wake(now); ok {
			at, some = min(at, tick), true
		}
	}
	return at, some
}

// SetSpeed sets how many simulated seconds one second of the EPP's own timers takes, for those that its
// configuration cannot change, such as the tick of flow control. The default is 1.
func (s *Scheduler) SetSpeed(speed float64) {
	if s.flow != nil {
		s.flow.SetSpeed(speed)
	}
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
	if s.flow == nil || len(s.burst.windows) > 0 && s.flow.IsIdle() {
		return policy.Released{}, false
	}
	s.explainRefusals(view)
	return s.flow.Release(view)
}

// Queues implements [policy.Queue].
func (s *Scheduler) Queues(*policy.Request) bool { return true }

// Cancel implements [policy.Queue].
func (s *Scheduler) Cancel(_ simtime.Time, request *policy.Request) {
	if s.flow == nil || !s.flow.Cancel(request.ID) {
		s.burst.cancel(request.ID)
	}
}

// Evict implements [policy.Evictor].
func (s *Scheduler) Evict(simtime.Time) (int, bool) { return s.flow.Evict() }

// explainRefusals has flow control tell of those that come to no profile.
func (s *Scheduler) explainRefusals(view *policy.View) (tell func(*policy.Request, error)) {
	if s.tracer.report != nil {
		tell = func(request *policy.Request, err error) {
			s.tracer.Begin(s.Look(view), request, s.saturation())
			s.tracer.refuse(err)
		}
	}
	s.flow.Explain(tell)
	return tell
}

// saturation is what says whether requests may come in: flow control, or else the detector.
func (s *Scheduler) saturation() SaturationDetector {
	if s.flow != nil {
		return s.flow
	}
	return s.Detector
}

// Schedule chooses endpoints for a request that does not wait for flow control any
// longer, unless it has to wait for a window.
func (s *Scheduler) Schedule(view *policy.View, request *policy.Request) (policy.Route, error) {
	c := s.Begin(view, request)
	if s.tracer.report != nil {
		s.tracer.Begin(c, request, s.saturation())
	}
	to, err := s.Decide(c, request)
	if s.tracer.report != nil {
		s.tracer.end(s, to, err)
	}
	return to, err
}

// resume is schedule for a request whose window has closed.
func (s *Scheduler) resume(view *policy.View, item *HeldRequest) (policy.Route, error) {
	c := s.Begin(view, &item.request)
	c.restore(&item.Seen)
	if s.burst.holdAgain(c, item) {
		return policy.Route{}, policy.ErrHeld
	}
	if s.tracer.report != nil {
		s.tracer.Begin(c, &item.request, s.saturation())
	}
	to, err := s.choose(c)
	if s.tracer.report != nil {
		s.tracer.end(s, to, err)
	}
	return to, err
}

// Decide chooses endpoints for the request of a cycle, or says why there are none.
func (s *Scheduler) Decide(c *Cycle, request *policy.Request) (policy.Route, error) {
	if s.flow == nil && request.Priority < 0 && s.Detector.Saturation(c) >= 1 {
		s.Staged.Skip()
		return policy.Route{}, policy.ErrShed
	}
	if c.Present > 0 && s.burst.hold(c, request) {
		return policy.Route{}, policy.ErrHeld
	}
	return s.choose(c)
}

// choose runs what follows where a request waits for nothing any more.
func (s *Scheduler) choose(c *Cycle) (policy.Route, error) {
	if c.Present == 0 {
		s.Staged.Skip()
		return policy.Route{}, policy.ErrNoEndpoint
	}
	for _, p := range s.Producers {
		p.Produce(c)
	}
	for i, a := range s.Admitters {
		if !a.Admits(c) {
			s.tracer.refusedBy = s.tracer.admitters[i]
			s.Staged.Skip()
			return policy.Route{}, policy.ErrShed
		}
	}
	chosen, ok := s.Staged.Run(c)
	if !ok {
		return policy.Route{}, policy.ErrNoEndpoint
	}
	to := policy.To(chosen.Primary)
	if chosen.Prefill != None && chosen.Prefill != chosen.Primary && !s.prefillHeaderMissing {
		to.Prefill = chosen.Prefill
	}
	to.Believed = s.belief(c, to.Computes())
	for _, f := range s.PickListeners {
		f.Routed(c, chosen)
	}
	return to, nil
}

// FirstToken implements [policy.ResponseListener]. It does nothing for a request that is
// not in flight.
func (s *Scheduler) FirstToken(request *policy.Request, endpoint int) {
	for _, l := range s.responseListeners {
		l.FirstToken(request, endpoint)
	}
}

// FirstTokenAt implements [policy.FirstTokenListener].
func (s *Scheduler) FirstTokenAt(at simtime.Time, request *policy.Request) {
	for _, l := range s.firstTokenListeners {
		l.FirstTokenAt(at, request)
	}
}

// Finished implements [policy.ResponseListener]. It does nothing for a request that is
// not in flight.
func (s *Scheduler) Finished(request *policy.Request, endpoint int) {
	for _, l := range s.responseListeners {
		l.Finished(request, endpoint)
	}
}

// Used implements [policy.UsageListener].
func (s *Scheduler) Used(at simtime.Time, request *policy.Request, outputTokens int) {
	for _, p := range s.usageListeners {
		p.Used(at, request, outputTokens)
	}
}

// Look is what is seen without a request, until the next look.
func (s *Scheduler) Look(view *policy.View) *Cycle {
	s.idleCycle = Cycle{Present: s.Endpoints, Now: view.Now, Scrapes: view.Scrapes, Unscraped: !s.scraped}
	if view.Down != nil {
		s.idleCycle.Exclude(view.Down)
	}
	if !s.scraped {
		s.idleCycle.Scrapes = s.unscraped
	}
	return &s.idleCycle
}

// Begin fills in what the plugins see.
func (s *Scheduler) Begin(view *policy.View, request *policy.Request) *Cycle {
	if len(view.Scrapes) != s.Endpoints {
		panic(fmt.Sprintf("epp: %d scrapes for %d endpoints", len(view.Scrapes), s.Endpoints))
	}
	s.feed.Deliver(view.Now)
	c := &s.Cycle
	*c = Cycle{Number: c.Number + 1, Present: s.Endpoints, Peer: None, Unscraped: !s.scraped}
	c.Now, c.Scrapes, c.Engines, c.Adapters = view.Now, view.Scrapes, view.Scrapes, view.Adapters
	c.setRequest(request)
	if view.Down != nil {
		c.Exclude(view.Down)
	}
	for _, w := range s.endpointListeners {
		w.ForgetGone(c)
	}
	if len(view.Changed) <= s.Endpoints {
		c.changed = view.Changed
	}
	if !s.scraped {
		c.Scrapes, c.Adapters = s.unscraped, nil
	}
	c.Prompt, c.Tokens = s.estimate.Of(request.Prompt, request.Tokens)
	if s.tokensOff {
		c.Prompt, c.Tokens = prompt.Prompt{}, 0
	}
	return c
}

// A Cycle is what plugins see of one request, from Route to the pick.
type Cycle struct {
	Number  uint64 // of the cycle, from 1
	Request int    // its ID
	Now     simtime.Time
	// Down says of each endpoint whether it is gone; nil where all are there.
	// there counts those that are.
	Down    []bool
	Present int
	Scrapes []policy.Scrape // len == endpoints
	// Engines is scrapes, whether they reach the EPP or not.
	Engines []policy.Scrape
	// Peer is the endpoint that the profile before has chosen, if the profile
	// handler tells; none otherwise.
	Peer int
	// Prompt and tokens are what the EPP sees of the prompt, whose length is asked.
	Prompt       prompt.Prompt
	Tokens       int
	PromptTokens int
	// Tokenised is whether the prompt's tokens are known, where they are not always.
	Tokenised bool
	// Priority, tenant, session and adapter are the request's, as
	// [policy.Request] has them.
	Priority, Tenant int
	Session, Adapter int32
	// Headers is the number of the set of headers that the request carries; 0 is
	// none.
	Headers int32
	// TtftMs and tpotMs are the latencies that the request states it was
	// promised; 0 states nothing.
	TTFTMs, TPOTMs float64
	// Adapters is len == endpoints, or nil.
	Adapters []policy.Adapters
	// changed are the endpoints whose scrape has changed since the last cycle;
	// nil if any may have.
	changed []int32
	// Unscraped is whether no metrics reach the EPP, so that all are stale.
	Unscraped bool
	// Stage is the stage of requests that the endpoints serve that are there, where flow control asks
	// for each stage apart.
	Stage Stage
}

// A Stage is one of those of a request.
type Stage uint8

// Stages. Without one, all endpoints are asked for together.
const (
	NoStage Stage = iota
	PrefillStage
	DecodeStage

	// Stages is the number of values.
	Stages
)

// setRequest copies the fields of the request.
func (c *Cycle) setRequest(r *policy.Request) {
	c.Request, c.PromptTokens, c.Priority, c.Tenant = r.ID, r.Tokens, r.Priority, r.Tenant
	c.Session, c.Adapter, c.Headers = r.Session, r.Adapter, r.Headers
	c.TTFTMs, c.TPOTMs = Milliseconds(r.TTFT), Milliseconds(r.TPOT)
}

// Exclude takes the endpoints that are down out.
func (c *Cycle) Exclude(down []bool) {
	if len(down) != c.Present {
		panic(fmt.Sprintf("epp: %d endpoints, and %d may be gone", c.Present, len(down)))
	}
	for _, gone := range down {
		if gone {
			c.Down = down
			c.Present--
		}
	}
}

// Gone reports whether an endpoint is no candidate of any profile.
func (c *Cycle) Gone(endpoint int) bool { return c.Down != nil && c.Down[endpoint] }

// First is the first endpoint that is there; one is.
func (c *Cycle) First() int {
	e := 0
	for c.Gone(e) {
		e++
	}
	return e
}

// Milliseconds returns a duration in milliseconds, fractions included.
func Milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
