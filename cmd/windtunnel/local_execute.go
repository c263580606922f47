// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"os"
	"runtime/debug"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// executor has callbacks for the execution of a study; nil functions are not called.
type executor struct {
	// known returns rows that need not be simulated again.
	known func(key string) (result.Row, bool)
	// began is told how many simulations a round has.
	began func(int) error
	// done is told of each row and its point.
	done func(experiment.Point, *result.Row) error
	// trace has simulations traced; nil does not.
	trace *execute.Tracing
	// requests gives what takes the requests of a simulation.
	requests func(simulation int, point experiment.Point, seed int64) (execute.RequestSink, error)
	// series is how many bins time series have at most; 0 makes none.
	series int
}

// execute runs all of a plan on this machine.
func (o *localOptions) execute(ctx context.Context, name string, c *compile.Compiled, by executor) (*execute.LocalRun, error) {
	printWarnings(os.Stderr, o.fenceWarnings(c.Plan))
	p := cli.NewProgress(name)
	defer p.End()
	by = o.into.of(name, by)
	conducted, err := execute.RunLocally(ctx, c.Plan, c.Traces, execute.Options{
		Parallelism: o.parallelism,
		Known:       by.known,
		Began: func(simulations int) error {
			p.Begin(simulations)
			limitHeapGrowth(p.Total, c.Traces)
			if by.began != nil {
				return by.began(simulations)
			}
			return nil
		},
		Progress:        p.Update,
		Done:            by.done,
		CheckInvariants: o.check,
		Trace:           by.trace,
		Requests:        by.requests,
		Series:          by.series,
		Fence:           o.fence(),
	})
	if errors.Is(err, study.ErrNothingServed) {
		return nil, err
	}
	if errors.Is(err, execute.ErrWatched) {
		return nil, toTrust(err)
	}
	if errors.Is(err, execute.ErrInvalidPoint) || errors.Is(err, study.ErrTooManyFailed) {
		return nil, cli.BadInput(err)
	}
	if err != nil {
		return nil, err
	}
	return conducted, o.into.rest()
}

// manySimulations are so many that their rows outweigh everything else in
// memory.
const manySimulations = 20_000

// limitHeapGrowth has the garbage collector let the heap grow by half, in place of
// doubling it, where most of it is rows of results that stay, or rows of traces that pass
// through.
func limitHeapGrowth(simulations int, traces trace.Set) {
	held := true
	for _, t := range traces { // in any order
		held = held && t.IsHeld()
	}
	if simulations >= manySimulations || !held {
		debug.SetGCPercent(50)
	}
}
