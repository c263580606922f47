// SPDX-License-Identifier: Apache-2.0

package local

import (
	"context"
	"errors"
	"os"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/internal/headroom"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// Executor has callbacks for the execution of a study; nil functions are not called.
type Executor struct {
	// Known returns rows that need not be simulated again.
	Known func(key string) (result.Row, bool)
	// Began receives the number of simulations of a round.
	Began func(int) error
	// Done receives each row and its point.
	Done func(experiment.Point, *result.Row) error
	// Trace has simulations traced; nil does not.
	Trace *execute.Tracing
	// Requests gives what takes the requests of a simulation.
	Requests func(simulation int, point experiment.Point, seed int64) (execute.RequestSink, error)
	// Series is how many bins time series have at most; 0 makes none.
	Series int
}

// Execute runs all of a plan on this machine.
func (o *Options) Execute(ctx context.Context, name string, c *compile.Compiled, by Executor) (*execute.LocalRun, error) {
	PrintWarnings(os.Stderr, o.FenceWarnings(c.Plan))
	p := cli.NewProgress(name)
	defer p.End()
	by = o.into.of(name, by)
	ofRound := 0
	conducted, err := execute.RunLocally(ctx, c.Plan, c.Traces, execute.Options{
		Parallelism: o.Parallelism,
		Known:       by.Known,
		Began: func(simulations int) error {
			p.Begin(simulations)
			ofRound = simulations
			headroom.Grow(growthOfRows(p.Total, c.Traces))
			if by.Began != nil {
				return by.Began(simulations)
			}
			return nil
		},
		Progress: func(done int) {
			p.Update(done)
			if done == ofRound {
				headroom.Grow(growthOfLists(p.Total))
			}
		},
		Done:            by.Done,
		CheckInvariants: o.Check,
		Trace:           by.Trace,
		Requests:        by.Requests,
		Series:          by.Series,
		Fence:           o.Fence(),
	})
	if errors.Is(err, study.ErrNothingServed) {
		return nil, err
	}
	if errors.Is(err, execute.ErrWatched) {
		return nil, ToTrust(err)
	}
	if errors.Is(err, execute.ErrInvalidPoint) || errors.Is(err, study.ErrTooManyFailed) {
		return nil, cli.BadInput(err)
	}
	if err != nil {
		return nil, err
	}
	return conducted, o.into.rest()
}

// manySimulations is the number from which rows outweigh everything else in
// memory.
const manySimulations = 20_000

// ordinaryGrowth is by how many percent a heap grows between two collections unless rows fill it.
const ordinaryGrowth = 100

// growthOfRows is by how many percent the heap may grow: by half, in place of doubling, where most of it
// is rows of results that stay, or rows of traces that pass through.
func growthOfRows(simulations int, traces trace.Set) int {
	held := true
	for _, t := range traces { // in any order
		held = held && t.IsHeld()
	}
	if simulations >= manySimulations || !held {
		return 50
	}
	return ordinaryGrowth
}

// growthOfLists is by how many percent the heap may grow once many simulations are done: ranking makes lists
// of all points, and little garbage.
func growthOfLists(simulations int) int {
	if simulations >= manySimulations {
		return 20
	}
	return ordinaryGrowth
}
