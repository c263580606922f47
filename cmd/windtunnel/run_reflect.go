// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/inspect"
	"windtunnel.dev/windtunnel/pkg/experiment/whatif"
	"windtunnel.dev/windtunnel/pkg/fence"
	"windtunnel.dev/windtunnel/pkg/insight"
)

// reflectOptions are the flags of `run --reflect`.
type reflectOptions struct {
	// strategy is one of [insight.Strategies]; "" where no summary is asked for.
	strategy  string
	maxTokens int
}

// minTokens is what a summary takes at least: the outcome and an issue.
const minTokens = 100

// check refuses values that are not allowed.
func (o *reflectOptions) check() error {
	var faults []error
	if o.strategy != "" && !slices.Contains(insight.Strategies, insight.Strategy(o.strategy)) {
		faults = append(faults, fmt.Errorf("--reflect %q: must be %s", o.strategy, strategies()))
	}
	if o.strategy == "" && o.maxTokens != insight.DefaultMaxTokens {
		faults = append(faults, errors.New("--max-tokens needs --reflect"))
	}
	if o.maxTokens < minTokens {
		faults = append(faults, fmt.Errorf("--max-tokens %d: must be at least %d", o.maxTokens, minTokens))
	}
	if len(faults) == 0 {
		return nil
	}
	return cli.BadInput(errors.Join(faults...))
}

// strategies are the values of --reflect in words.
func strategies() string {
	names := insight.StrategyNames()
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// reflection is what `run --reflect -o json` prints.
type reflection struct {
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
		Strategy: insight.Strategy(o.reflected.strategy), MaxTokens: o.reflected.maxTokens, Flips: whatif.DefaultFlips,
	}})
	if err != nil {
		return fmt.Errorf("SimulationRun %s: %w", run.Name, err)
	}
	if o.Output == cli.Table {
		_, err := io.WriteString(stdout, seen.Summary)
		return err
	}
	return o.Output.Write(stdout, reflection{cli.Identify(run.TypeMeta, run.ObjectMeta), seen.Report, seen.Summary})
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
