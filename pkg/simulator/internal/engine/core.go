// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/measure"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// Core is what the run, the gateway, the cluster and its replicas have in common: the
// clock, the requests in flight and the figures.
type Core struct {
	Ctx context.Context
	// Stopped says that ctx was cancelled, or that a program has a fault; untilCheck counts
	// the steps and arrivals until the next look at ctx.
	Stopped    bool
	untilCheck int
	// Seed is Config.Seed.
	Seed int64
	// Faults are those of policies that are programs; nil where none is.
	Faults *policy.Faults

	// Now is the time of what is being handled. It goes back when another
	// replica's turn comes.
	Now      simtime.Time
	Requests request.Slots
	Metrics  measure.Metrics
	// Series follows the run through time; nil where nobody wants to know.
	Series    *measure.Recorder
	Observers []observer
	Listeners Listeners
}

// stepsPerContextCheck is how many steps or arrivals pass between two looks at the
// context.
const stepsPerContextCheck = 4096

// CheckContext looks at the context once in a while, and at the faults of programs. It
// returns false where the run is to stop.
func (k *Core) CheckContext() bool {
	if k.Faults != nil && k.Faults.First() != nil {
		k.Stopped = true
		return false
	}
	if k.untilCheck--; k.untilCheck > 0 {
		return true
	}
	k.untilCheck = stepsPerContextCheck
	k.Stopped = k.Ctx.Err() != nil
	return !k.Stopped
}

// Listeners are those of a Config who are told of what engines do. Each is nil where nobody wants
// to know.
type Listeners struct {
	Preempted   func(simulator.Preemption)
	Stepped     func(simulator.EngineStep)
	Transferred func(simulator.Transfer)
	HandedOver  func(simulator.HandOver)
}
