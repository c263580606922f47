// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/measure"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/queue"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// State is what the gateway, the cluster and its replicas have in common.
type State struct {
	Ctx context.Context
	// Stopped says that Ctx was cancelled, or that a program has a fault; untilCheck counts
	// the steps and arrivals until the next look at Ctx.
	Stopped    bool
	untilCheck int
	// Seed is Config.Seed.
	Seed int64
	// Faults are those of policies that are programs.
	Faults *policy.Faults

	// Now is the time of what is being handled. It goes back when another
	// replica's turn comes.
	Now      simtime.Time
	Requests request.Slots
	Metrics  measure.Metrics
	// Series follows the run through time; nil if the run records none.
	Series    *measure.Recorder
	Observers []Observer
	Listeners Listeners
}

// stepsPerContextCheck is how many steps or arrivals pass between two looks at the
// context.
const stepsPerContextCheck = 4096

// CheckContext looks at the context once in a while, and at the faults of programs. It
// returns false where the run is to stop.
func (s *State) CheckContext() bool {
	s.untilCheck--
	return s.untilCheck > 0 && !s.Faults.Any() || s.goesOn()
}

func (s *State) goesOn() bool {
	s.untilCheck = stepsPerContextCheck
	s.Stopped = s.Faults.Any() || s.Ctx.Err() != nil
	return !s.Stopped
}

// Ticket is a request's place in the wait queue of its replica.
func (s *State) Ticket(id int32) queue.Ticket {
	q := &s.Requests.All[id]
	return queue.Ticket{Rank: q.Rank, Turn: q.Turn, Id: id, Group: q.Group}
}

// Listeners are those of a Config that hear what engines do. Each may be nil.
type Listeners struct {
	Preempted   func(simulator.Preemption)
	Stepped     func(simulator.EngineStep)
	Transferred func(simulator.Transfer)
	HandedOver  func(simulator.HandOver)
}
