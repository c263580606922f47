// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"context"
	"fmt"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// Run simulates c and returns what was measured. The only error is that ctx
// was cancelled. A Config that breaks the rules stated at its fields panics:
// who compiles a scenario checks it first.
func Run(ctx context.Context, c Config) (*Outcome, error) {
	s := newSimulation(ctx, c)
	return s.run()
}

// simulation is the state of a run. Where replicas share nothing, only arrivals,
// scrapes and disruptions have an order among them, so these set the pace; what
// happens inside a replica is made up for when it is looked at. Figures are sums,
// and do not mind. Replicas that share a network or a tier are advanced together.
type simulation struct {
	ctx context.Context
	// stopped says that ctx was cancelled; untilCheck counts the steps and arrivals until the next check.
	stopped    bool
	untilCheck int

	policies policy.Policies
	// asksOnArrival says that some replica asks its advisor when a request arrives.
	asksOnArrival bool
	// onCompleted is Config.Completed.
	onCompleted func(Completion)
	// onRejected is Config.Rejected, evicted Config.Evicted.
	onRejected func(int, Reason)
	onEvicted  func(int)
	// onEnded is Config.Ended.
	onEnded func(RequestEnd)
	source  workload.Source
	horizon Horizon
	// listener is the source where that hears of ends; nil otherwise, and once no
	// more requests arrive.
	listener workload.Listener
	// heard says that the listener was told of an end; awaitsEnd that replicas are
	// advanced up to the next one only.
	heard, awaitsEnd bool
	// held keeps what the router holds back.
	held gatewayQueue
	// disruptions are Config.Disruptions.
	disruptions []Disruption
	// events are those above the replicas that are known of.
	events clusterEvents
	// draining says that no more requests arrive.
	draining bool
	// serving counts requests that no engine has given all of their tokens, those
	// that the router holds back included; finishBy is when the streams of all others have ended.
	serving  int
	finishBy simtime.Time
	// finishStale says that finishBy leaves out the ends that are on their way to the
	// gateway.
	finishStale bool
	// drainBound is up to when replicas are advanced that serve nobody, once no more
	// requests arrive.
	drainBound simtime.Time
	pools      []string
	labels     workload.Labels

	// now is the time of what is being handled. It goes back when another
	// replica's turn comes.
	now        simtime.Time
	scrapes    scrapeSchedule
	requests   requestSlots
	replicas   []replica
	deliveries deliveries
	// order is nil where each replica can be advanced on its own.
	order    *replicaOrder
	handoffs handoffs
	handoff  Handoff
	view     policy.View
	changed  []int32 // memory of view.Changed
	metrics  metrics

	arrived int
	// arrivalsEnd is when arrivals ended.
	arrivalsEnd simtime.Time
	// inFlight counts accepted requests that have not ended.
	inFlight int
	lastEnd  simtime.Time

	extents   []prompt.Extent // scratch
	numbers   []int32         // scratch
	observers []observer
}

// run lets requests arrive, one after the other, and then drains the cluster.
func (s *simulation) run() (*Outcome, error) {
	for !s.stopped && s.step() {
	}
	end := s.drain()
	if err := s.ctx.Err(); err != nil {
		return nil, fmt.Errorf("simulate, at %v: %w", s.now, err)
	}
	return s.outcome(end), nil
}

// step lets the next request arrive. It returns false where there is none.
func (s *simulation) step() bool {
	w, ok := s.next()
	if !ok {
		return false
	}
	s.advanceToArrival(w.Arrival)
	s.arrive(&w)
	s.checkContext()
	return true
}

// advanceToArrival brings all that a routing decision depends on up to a time.
func (s *simulation) advanceToArrival(at simtime.Time) {
	s.applyClusterEvents(at, requestArrives)
	s.scrapeUntil(at)
	if s.routingFollowsReplicas() {
		s.advanceAll(at)
	}
	s.deliver(at)
	s.now = at
}

// routingFollowsReplicas says whether routing depends on what happens in the replicas, and
// not on their scrapes alone.
func (s *simulation) routingFollowsReplicas() bool {
	r := &s.policies.Routing
	return r.Responses != nil || s.asksOnArrival || r.KVEvents != nil || r.Evictor != nil
}

// advanceAll advances all replicas.
func (s *simulation) advanceAll(until simtime.Time) {
	if s.order != nil {
		s.advanceInOrder(until)
		return
	}
	for i := range s.replicas {
		s.advance(&s.replicas[i], until)
	}
}

// stepsPerContextCheck is how many steps or arrivals pass between two looks at the
// context.
const stepsPerContextCheck = 4096

// checkContext looks at the context once in a while. It returns false where the run
// is to stop.
func (s *simulation) checkContext() bool {
	if s.untilCheck--; s.untilCheck > 0 {
		return true
	}
	s.untilCheck = stepsPerContextCheck
	s.stopped = s.ctx.Err() != nil
	return !s.stopped
}

// outcome reports a run that is over.
func (s *simulation) outcome(end simtime.Time) *Outcome {
	o := &Outcome{
		Labels:   s.labels,
		Pools:    s.pools,
		Cells:    s.metrics.report(),
		Measured: s.metrics.span(),
		Replicas: make([]ReplicaUse, len(s.replicas)),
		End:      end,
	}
	for i := range s.replicas {
		o.Replicas[i] = s.replicas[i].report(end)
	}
	for i := range o.Cells {
		o.Cells[i].check()
	}
	for _, v := range s.observers {
		v.over(s)
	}
	return o
}
