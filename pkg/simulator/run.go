// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"context"
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// eventsPerCheck is how many events pass between two looks at the context.
const eventsPerCheck = 4096

// Run simulates c and returns what was measured. The only error is that ctx
// was cancelled. A Config that breaks the rules stated at its fields panics:
// who compiles a scenario checks it first.
func Run(ctx context.Context, c Config) (*Outcome, error) {
	s := newSimulation(c)
	for events := 0; s.step(); events++ {
		if events%eventsPerCheck != 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("simulate, at %v: %w", s.now, err)
		}
	}
	return s.outcome(), nil
}

// simulation is the state of a run.
type simulation struct {
	router         policy.Router
	listener       policy.Listener // nil where nobody listens
	source         workload.Source
	horizon        Horizon
	pools          []string
	labels         workload.Labels
	scrapeInterval time.Duration

	now      simtime.Time
	agenda   agenda
	requests slots
	replicas []replica
	view     policy.View
	metrics  metrics
	// completed is Config.Completed.
	completed func(Completion)

	// next is the request whose arrival is on the agenda, arrived how many
	// came before it. closed says that no more will come.
	next    workload.Request
	arrived int
	closed  bool
	// inFlight counts accepted requests that have not ended, entered those
	// that have entered a wait queue.
	inFlight int
	entered  int64

	extents   []prompt.Extent // scratch
	observers []observer
}

// step handles the next event. It returns false when the run is over.
func (s *simulation) step() bool {
	if s.closed && s.inFlight == 0 {
		return false
	}
	e := s.agenda.pop()
	if e.at < s.now {
		panic(fmt.Sprintf("simulator: %v due at %v, and it is %v", e.kind(), e.at, s.now))
	}
	s.now = e.at
	s.handle(e.kind(), e.target)
	for _, o := range s.observers {
		o.settled(s)
	}
	return true
}

func (s *simulation) handle(k kind, target int32) {
	switch k {
	case kindWarmUpEnd:
		for i := range s.replicas {
			s.replicas[i].restart(s.now)
		}
	case kindHorizon:
		s.closeArrivals()
	case kindArrival:
		s.arrive()
	case kindEntry:
		s.enter(target)
	case kindStepEnd:
		s.endStep(&s.replicas[target])
	case kindWake:
		s.wake(&s.replicas[target])
	case kindFirstToken:
		s.firstToken(target)
	case kindLastToken:
		s.complete(target)
	case kindDrainEnd:
		s.cutOff()
	default:
		panic(fmt.Sprintf("simulator: an event of kind %d", k))
	}
}

// schedule puts an event on the agenda, d from now.
func (s *simulation) schedule(d time.Duration, k kind, target int32) {
	if d < 1 {
		panic(fmt.Sprintf("simulator: %v of %d in %v, at %v", k, target, d, s.now))
	}
	s.agenda.push(s.now.Add(d), k, target)
}

// outcome reports a run that is over.
func (s *simulation) outcome() *Outcome {
	o := &Outcome{
		Labels:   s.labels,
		Pools:    s.pools,
		Cells:    s.metrics.report(),
		Measured: s.metrics.span(),
		Replicas: make([]ReplicaUse, len(s.replicas)),
		End:      s.now,
	}
	for i := range s.replicas {
		o.Replicas[i] = s.replicas[i].report(s.now)
	}
	for i := range o.Cells {
		o.Cells[i].check()
	}
	return o
}
