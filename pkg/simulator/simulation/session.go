// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"fmt"
	"slices"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/queue"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// A Session is a run whose requests come from outside, one at a time, each for an endpoint. A
// session and [Run] give the same tokens at the same nanosecond where they have the same
// requests at the same times.
//
// A session has a clock, which Advance, Submit and Cancel move on: what happens before their time
// has happened when they return. It is not safe for concurrent use.
type Session struct {
	s        *simulation
	listener SessionListener
	router   assigned
	// slots are those of the requests in flight, by their numbers.
	slots map[int]int32
	// news are what has happened in the replicas and has not been told.
	news news
	// refused is why the request that arrives was rejected; empty if it was not.
	refused []simulator.Reason
}

// A SessionListener hears what becomes of the requests of a [Session], in order of time, from within
// its calls. It does not call the session.
type SessionListener interface {
	// Given tells of tokens.
	Given(Given)
	// Completed says that the answer of a request has ended, after its last token.
	Completed(at simtime.Time, request int)
}

// Given is tokens that reach the gateway.
type Given struct {
	At simtime.Time
	// Request is the number that Submit returned, Tokens how many it is given at once.
	Request, Tokens int
	// Entered is when the request last came to the wait queue of its engine, Scheduled when a step
	// first computed something of it, and Cached how much of the prompt the prefix cache gave
	// then, in tokens. Remote is how much came from the replica that computed it.
	Entered, Scheduled simtime.Time
	Cached, Remote     int
}

// A Refusal says why an engine never has a request.
type Refusal struct{ Reason simulator.Reason }

func (r Refusal) Error() string { return fmt.Sprintf("the engine refuses the request: %v", r.Reason) }

// assigned sends each request where it was submitted for.
type assigned struct{ to policy.Route }

// Route implements [policy.Router].
func (a *assigned) Route(*policy.View, *policy.Request) (policy.Route, error) { return a.to, nil }

// OpenSession opens a session at time 0, until ctx is cancelled. It takes from the Config what concerns
// engines: the pools with the replicas that are there at the start, the hand-overs, the seed, the
// targets, which deadlines of schedulers follow, the labels of the source, which may be nil, the
// listeners of engines, and who hears of KV events.
func OpenSession(ctx context.Context, c simulator.Config, listener SessionListener) *Session {
	s := &Session{listener: listener, slots: map[int]int32{}}
	engines := simulator.Config{
		Pools: slices.Clone(c.Pools), Source: c.Source, Handoff: c.Handoff, Seed: c.Seed, CheckInvariants: c.CheckInvariants,
		Targets: c.Targets, TenantTargets: c.TenantTargets,
		Preempted: c.Preempted, Stepped: c.Stepped, Transferred: c.Transferred, HandedOver: c.HandedOver,
		Policies: policy.Policies{
			Faults:  c.Policies.Faults,
			Routing: policy.Routing{Router: &s.router, Engines: true, KVEvents: c.Policies.Routing.KVEvents},
		},
	}
	if c.Source == nil {
		engines.Source = unlabelled{}
	}
	for i := range engines.Pools {
		p := &engines.Pools[i]
		p.Live = true // so that no scrapes are queued
		p.MaxReplicas, p.NodePool, p.WatchQueue = 0, 0, false
	}
	s.s = newSimulation(ctx, engines)
	s.s.Observers = append(s.s.Observers, &sessionObserver{Session: s})
	return s
}

// unlabelled is a source without requests and labels.
type unlabelled struct{}

func (unlabelled) Next() (workload.Request, bool) { return workload.Request{}, false }
func (unlabelled) Labels() workload.Labels        { return workload.Labels{} }

// A Submission is a request for an endpoint.
type Submission struct {
	Endpoint int
	// Request is the request. Its number and arrival do not count.
	Request workload.Request
	// Rest is the text of the answer behind the Response; OutputTokens is of both.
	Rest []prompt.Extent
	// Keeps says that the blocks of prompt and answer stay with the replica after the end, until
	// another request takes them over or Drop is called.
	Keeps bool
	// TakesOver is one more than the number of a request that Keeps its blocks and has ended; 0 is
	// none. Those of the prompt come from there, if they are there still, the prompts have as many
	// tokens, the endpoints differ, and Config.Handoff takes KV from one to the other. Otherwise the
	// request computes its prompt.
	TakesOver int
}

// Submit has a request arrive at a time, numbers it from 0 and returns the number. A [Refusal] says
// that the engine never has it; another error is of the context or of a policy.
func (s *Session) Submit(at simtime.Time, c Submission) (number int, err error) {
	if err := s.Advance(at); err != nil {
		return 0, err
	}
	s.router.to = policy.To(c.Endpoint)
	s.refused = s.refused[:0]
	w := c.Request
	w.ID, w.Arrival = s.s.gateway.Arrived, at
	s.s.gateway.ArriveWith(&w, &request.Terms{Rest: c.Rest, Keeps: c.Keeps, TakesOver: c.TakesOver})
	if len(s.refused) > 0 {
		return 0, Refusal{Reason: s.refused[0]}
	}
	return w.ID, s.fault()
}

// Cancel ends a request at a time, as its client is gone: its blocks and its place are free. It does
// nothing where the request has ended.
func (s *Session) Cancel(at simtime.Time, number int) error {
	if err := s.Advance(at); err != nil {
		return err
	}
	slot, ok := s.slots[number]
	if !ok {
		return nil
	}
	delete(s.slots, number)
	s.s.gateway.TimeOut(slot)
	return s.fault()
}

// Drop gives the blocks up, at a time, that a request keeps. It does nothing where it keeps none.
func (s *Session) Drop(at simtime.Time, number int) error {
	if err := s.Advance(at); err != nil {
		return err
	}
	s.s.cluster.Handoffs.Drop(number)
	return nil
}

// Keeps says whether the blocks are kept of a request that has ended.
func (s *Session) Keeps(number int) bool { return s.s.cluster.Handoffs.Keeps(number) }

// Advance lets everything happen that comes before a time, and nothing of that very nanosecond. The
// clock does not go back: an earlier time panics.
func (s *Session) Advance(until simtime.Time) error {
	if until < s.s.Now {
		panic(fmt.Sprintf("simulator: a session at %v is to go to %v", s.s.Now, until))
	}
	s.s.advanceToArrival(until)
	for len(s.news) > 0 && s.news[0].At < until {
		s.tell(s.news.pop())
	}
	return s.fault()
}

// Next is when the next thing happens; Never if nothing does until a request is submitted.
func (s *Session) Next() simtime.Time {
	next := min(s.s.cluster.Next(), s.s.gateway.NextAnswer(), s.s.events.Due())
	if len(s.news) > 0 {
		next = min(next, s.news[0].At)
	}
	return next
}

// tell tells the listener of something, unless the request was cancelled in the meantime.
func (s *Session) tell(n piece) {
	switch _, inFlight := s.slots[n.Request]; {
	case !inFlight:
	case n.Tokens > 0:
		s.listener.Given(n.Given)
	default:
		delete(s.slots, n.Request)
		s.listener.Completed(n.At, n.Request)
	}
}

// EngineState is what the metrics endpoint of a replica shows.
type EngineState struct {
	policy.Scrape
	Engine policy.Engine
	// Adapters are empty where the pool serves none.
	Adapters    policy.Adapters
	Preemptions int64
}

// Engine is the state of a replica, as of the session's time.
func (s *Session) Engine(endpoint int) EngineState {
	v := s.s.gateway.Show()
	e := EngineState{Scrape: v.Scrapes[endpoint], Engine: v.Engines[endpoint], Preemptions: s.s.cluster.Replicas[endpoint].Use.Preemptions}
	if v.Adapters != nil {
		a := v.Adapters[endpoint]
		e.Adapters = policy.Adapters{Active: slices.Clone(a.Active), Waiting: slices.Clone(a.Waiting), Max: a.Max}
	}
	return e
}

// fault is why the session goes on no more; nil while it does.
func (s *Session) fault() error {
	if fault := s.s.Faults.First(); fault != nil {
		return fault
	}
	return s.s.Ctx.Err()
}

// sessionObserver turns what the engines do into news.
type sessionObserver struct {
	*Session
	// told numbers the news.
	told int64
}

// Arrived implements [run.Observer].
func (o *sessionObserver) Arrived(id int32) { o.slots[o.s.Requests.All[id].Info.ID] = id }

// Rejected implements [run.Observer].
func (o *sessionObserver) Rejected(_ *policy.Request, reason simulator.Reason) {
	o.refused = append(o.refused, reason)
}

// Token implements [run.Observer].
func (o *sessionObserver) Token(id, n int32, at simtime.Time) {
	q := &o.s.Requests.All[id]
	o.add(Given{At: at, Request: q.Info.ID, Tokens: int(n), Entered: q.Entered, Scheduled: q.ScheduledAt, Cached: int(q.Cached), Remote: int(q.Remote)})
}

// Ended implements [run.Observer].
func (o *sessionObserver) Ended(id int32, at simtime.Time, how request.Ending) {
	if how == request.EndCompleted {
		o.add(Given{At: at, Request: o.s.Requests.All[id].Info.ID})
	}
}

func (o *sessionObserver) add(g Given) {
	o.told++
	o.news.push(piece{Given: g, number: o.told})
}

// Formed implements [run.Observer].
func (*sessionObserver) Formed(int32, latency.Step) {}

// Preempted implements [run.Observer].
func (*sessionObserver) Preempted(int32, int32) {}

// Settled implements [run.Observer].
func (*sessionObserver) Settled(int32) {}

// Over implements [run.Observer].
func (*sessionObserver) Over() {}

// A piece of news is tokens, or without any the end of an answer.
type piece struct {
	Given
	number int64
}

// Before orders news by time, and those of one nanosecond as they came about.
func (p piece) Before(q piece) bool {
	return p.At < q.At || p.At == q.At && p.number < q.number
}

// news is a binary heap with the earliest piece in front.
type news []piece

func (h *news) push(p piece) {
	*h = append(*h, p)
	queue.SiftUp(*h)
}

func (h *news) pop() piece {
	first := (*h)[0]
	last := len(*h) - 1
	(*h)[0] = (*h)[last]
	*h = (*h)[:last]
	queue.SiftDown(*h)
	return first
}
