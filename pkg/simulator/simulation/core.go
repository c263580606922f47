// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/measure"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// core is what the run, the gateway, the cluster and its replicas have in common: the
// clock, the requests in flight and the figures.
type core struct {
	ctx context.Context
	// stopped says that ctx was cancelled, or that a program has a fault; untilCheck counts
	// the steps and arrivals until the next look at ctx.
	stopped    bool
	untilCheck int
	// seed is Config.Seed.
	seed int64
	// faults are those of policies that are programs; nil where none is.
	faults *policy.Faults

	// now is the time of what is being handled. It goes back when another
	// replica's turn comes.
	now      simtime.Time
	requests request.Slots
	metrics  measure.Metrics
	// series follows the run through time; nil where nobody wants to know.
	series    *measure.Recorder
	observers []observer
	listeners listeners
}

// stepsPerContextCheck is how many steps or arrivals pass between two looks at the
// context.
const stepsPerContextCheck = 4096

// checkContext looks at the context once in a while, and at the faults of programs. It
// returns false where the run is to stop.
func (k *core) checkContext() bool {
	if k.faults != nil && k.faults.First() != nil {
		k.stopped = true
		return false
	}
	if k.untilCheck--; k.untilCheck > 0 {
		return true
	}
	k.untilCheck = stepsPerContextCheck
	k.stopped = k.ctx.Err() != nil
	return !k.stopped
}
