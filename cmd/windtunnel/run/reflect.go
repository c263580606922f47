// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/inspect"
	"windtunnel.dev/windtunnel/pkg/experiment/whatif"
	"windtunnel.dev/windtunnel/pkg/fence"
	"windtunnel.dev/windtunnel/pkg/insight"
)

// ReflectOptions are the flags of `run --reflect`.
type ReflectOptions struct {
	// Strategy is one of [insight.Strategies]; "" where no summary is asked for.
	Strategy  string
	MaxTokens int
}

// minTokens is what a summary takes at least: the outcome and an issue.
const minTokens = 100

// Check refuses values that are not allowed.
func (o *ReflectOptions) Check() error {
	var faults cli.Faults
	faults.If(o.Strategy != "" && !slices.Contains(insight.Strategies, insight.Strategy(o.Strategy)), "--reflect %q: must be %s", o.Strategy, cli.OneOf(insight.Strategies))
	faults.If(o.MaxTokens < minTokens, "--max-tokens %d: must be at least %d", o.MaxTokens, minTokens)
	return faults.Err()
}

// Reflection is what `run --reflect -o json` prints.
type Reflection struct {
	cli.Identity
	Report  *insight.Report `json:"report"`
	Summary string          `json:"summary"`
}

// reflect prints what went wrong in one simulation of a run.
func (o *runOptions) reflect(ctx context.Context, runs []local.Run, stdout io.Writer) error {
	run, err := local.SingleRun(runs, "--reflect")
	if err != nil {
		return err
	}
	of := experiment.Case{Trial: &experiment.Trial{Share: 1}, Seed: o.seedOf(run)}
	seen, err := o.ask(ctx, run, of, inspect.Question{Summary: &inspect.Summary{
		Strategy: insight.Strategy(o.reflected.Strategy), MaxTokens: o.reflected.MaxTokens, Flips: whatif.DefaultFlips,
	}})
	if err != nil {
		return fmt.Errorf("SimulationRun %s: %w", run.Name, err)
	}
	if o.Output == cli.Table {
		_, err := io.WriteString(stdout, seen.Summary)
		return err
	}
	return o.Output.Write(stdout, Reflection{cli.Identify(run.TypeMeta, run.ObjectMeta), seen.Report, seen.Summary})
}

// seedOf is the seed that --seed states, or the run's first one.
func (o *runOptions) seedOf(run local.Run) int64 {
	if o.explained.seed >= 0 {
		return o.explained.seed
	}
	return run.Plan.Seeds[0]
}

// ask inspects a simulation of a run, behind the fence if it has code that the user does not
// trust.
func (o *runOptions) ask(ctx context.Context, run local.Run, of experiment.Case, q inspect.Question) (*inspect.Answer, error) {
	q.CheckInvariants, q.Parallelism = o.Check, o.Parallelism
	local.PrintWarnings(os.Stderr, o.FenceWarnings(run.Plan))
	var behind inspect.Fence
	if !o.Trusted {
		behind = fence.New(1)
	}
	return inspect.Ask(ctx, run.Plan, run.Traces, of, q, behind)
}
