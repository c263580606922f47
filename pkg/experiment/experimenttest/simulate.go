// SPDX-License-Identifier: Apache-2.0

package experimenttest

import (
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
)

// MustCompileSweep compiles a sweep with [TraceInputs].
func MustCompileSweep(t testing.TB, sweep *v1alpha1.PolicySweep) *compile.Compiled {
	t.Helper()
	c, errs, err := compile.Sweep(t.Context(), sweep, TraceInputs(t))
	if err != nil || len(errs) > 0 {
		t.Fatalf("compile.Sweep: %v, %v", errs, err)
	}
	return c
}

// MustCompileRun compiles a run with [TraceInputs].
func MustCompileRun(t testing.TB, run *v1alpha1.SimulationRun) *compile.Compiled {
	t.Helper()
	c, errs, err := compile.Run(t.Context(), run, TraceInputs(t))
	if err != nil || len(errs) > 0 {
		t.Fatalf("compile.Run: %v, %v", errs, err)
	}
	return c
}

// FirstRound is the first round of a plan's study.
func FirstRound(t testing.TB, p *experiment.Plan) *experiment.Round {
	t.Helper()
	first, err := study.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return first.Round()
}

// AllSimulations is the whole [FirstRound].
func AllSimulations(t testing.TB, p *experiment.Plan) experiment.Span {
	t.Helper()
	return FirstRound(t, p).All()
}

// MustSimulate runs simulations of the [FirstRound].
func MustSimulate(t testing.TB, c *compile.Compiled, span experiment.Span) []experiment.Simulation {
	t.Helper()
	simulations, err := execute.Simulate(t.Context(), c.Plan, c.Traces, FirstRound(t, c.Plan), span.Indices(), execute.Options{Parallelism: 2})
	if err != nil {
		t.Fatal(err)
	}
	return simulations
}

// MustRunLocally runs a whole study.
func MustRunLocally(t testing.TB, c *compile.Compiled, o execute.Options) *execute.LocalRun {
	t.Helper()
	o.Parallelism = 2
	local, err := execute.RunLocally(t.Context(), c.Plan, c.Traces, o)
	if err != nil {
		t.Fatal(err)
	}
	return local
}
