// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"runtime"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// A Question asks for more of a simulation than its result. It passes a
// fence.
type Question struct {
	execute.InsideOptions
	// Parallelism is how many simulations run at once in addition to the first one; 0 is one for each
	// core. No answer depends on it.
	Parallelism int
	// Summary asks for a summary, or Story for a story in the place of a result.
	Summary *Summary `json:",omitempty"`
	Story   *Story   `json:",omitempty"`
}

// An Answer is what a simulation gave.
type Answer struct {
	Simulation experiment.Simulation
	// Report and Summary are of a question with a summary.
	Report  *insight.Report
	Summary string
	// Told is the answer to a question for a story, which has nothing else.
	Told *Told
}

// atOnce is how many simulations run at once in addition to the first one.
func (q *Question) atOnce() int {
	if q.Parallelism > 0 {
		return q.Parallelism
	}
	return runtime.GOMAXPROCS(0)
}

// Simulations is how many simulations run at once at most in a process with a number of cores.
func (q *Question) Simulations(cores int) int {
	several := q.Summary != nil && q.Summary.Strategy == insight.Counterfactual || q.Story != nil && q.Story.WhatIf != nil
	switch {
	case !several:
		return 1
	case q.Parallelism > 0:
		return q.Parallelism
	default:
		return cores
	}
}

// A Fence inspects simulations of untrusted code, apart from this process.
type Fence interface {
	// Inspect does what [Inside] does. The traces are the plan's. A simulation that goes
	// beyond its limits has an error that wraps a [policy.Fault].
	Inspect(ctx context.Context, p *experiment.Plan, traces trace.Set, of experiment.Case, q Question) (*Answer, error)
}

// Ask answers a question about a simulation, behind the fence if it needs that. Without a
// fence, the simulation runs in this process. The traces must be the plan's.
func Ask(ctx context.Context, p *experiment.Plan, traces trace.Set, of experiment.Case, q Question, fence Fence) (*Answer, error) {
	foreign, err := execute.NeedsFence(p, of)
	if err != nil {
		return nil, err
	}
	if fence == nil || !foreign {
		return Inside(ctx, p, traces, of, q)
	}
	a, err := fence.Inspect(ctx, p, traces, of, q)
	if err != nil {
		return nil, err
	}
	if q.Story != nil {
		return a, nil
	}
	metrics, err := execute.MetricsOf(p, of)
	if err != nil {
		return nil, err
	}
	return a, execute.CheckAnswer(p, of, metrics, &a.Simulation)
}

// Inside answers a question about a simulation in this process, whatever code it has. The
// traces must be the plan's.
func Inside(ctx context.Context, p *experiment.Plan, traces trace.Set, of experiment.Case, q Question) (*Answer, error) {
	switch {
	case q.Story != nil:
		return q.tell(ctx, p, traces, of)
	case q.Summary != nil:
		return q.reflect(ctx, p, traces, of)
	}
	s, err := execute.Inside(ctx, p, traces, of, q.InsideOptions)
	return &Answer{Simulation: s}, err
}
