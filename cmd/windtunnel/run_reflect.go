// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/whatif"
	"windtunnel.dev/windtunnel/pkg/simulator"
	insight "windtunnel.dev/windtunnel/pkg/trace"
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
	return badInputError{errors.Join(faults...)}
}

// strategyNames are the values of --reflect, and strategies lists them in words.
func strategyNames() []string {
	var names []string
	for _, s := range insight.Strategies {
		names = append(names, string(s))
	}
	return names
}

func strategies() string {
	names := strategyNames()
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// reflection is what `run --reflect -o json` prints.
type reflection struct {
	identity
	Report  *insight.Report `json:"report"`
	Summary string          `json:"summary"`
}

// reflect prints what went wrong in one simulation of a run.
func (o *runOptions) reflect(ctx context.Context, runs []compiledRun, stdout io.Writer) error {
	run, err := singleRun(runs, "--reflect")
	if err != nil {
		return err
	}
	if err := o.checkTrust(run.Plan); err != nil {
		return err
	}
	of := experiment.Case{Trial: &experiment.Trial{Share: 1}, Seed: o.seedOf(run)}
	_, report, err := execute.Reflect(ctx, run.Plan, run.Traces, of, nil, run.Plan.Anomalies, o.check)
	if err != nil {
		return fmt.Errorf("SimulationRun %s: %w", run.Name, err)
	}
	with := insight.SummaryOptions{Strategy: insight.Strategy(o.reflected.strategy), MaxTokens: o.reflected.maxTokens}
	if with.Strategy == insight.Counterfactual {
		if with.Alternatives, err = o.alternatives(ctx, run, of, report.Worst); err != nil {
			return fmt.Errorf("SimulationRun %s: %w", run.Name, err)
		}
	}
	summary := insight.Summarize(report, with)
	if o.output == outputTable {
		_, err := io.WriteString(stdout, summary)
		return err
	}
	return o.output.write(stdout, reflection{identify(run.TypeMeta, run.ObjectMeta), report, summary})
}

// seedOf is the seed that --seed states, or the run's first one.
func (o *runOptions) seedOf(run compiledRun) int64 {
	if o.explained.seed >= 0 {
		return o.explained.seed
	}
	return run.Plan.Seeds[0]
}

// alternatives simulates other picks for the worst decisions.
func (o *runOptions) alternatives(ctx context.Context, run compiledRun, of experiment.Case, worst []insight.Decision) ([]insight.Alternative, error) {
	if len(worst) == 0 {
		return nil, nil
	}
	var requests []int
	for i := range worst {
		requests = append(requests, worst[i].Request)
	}
	maker := func() (simulator.Config, error) {
		c, err := execute.Config(run.Plan, run.Traces, of)
		c.CheckInvariants = o.check
		return c, err
	}
	report, err := whatif.AskAbout(ctx, maker, requests, whatif.Options{Window: whatif.DefaultWindow, Flips: whatif.DefaultFlips, Parallelism: o.parallelism})
	if errors.Is(err, whatif.ErrNoPick) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return report.Alternatives(), nil
}
