// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/whatif"
)

// explainOptions are the flags of `run --explain`.
type explainOptions struct {
	// request is a number from 0, or rejected; "" where nothing is explained.
	request string
	// seed is negative where the run's first one is meant.
	seed   int64
	whatIf whatIfOptions
}

// firstRejected is the value of --explain that stands for the first request that
// is rejected.
const firstRejected = "rejected"

// scalingDecisions is the value of --explain that stands for the decisions of scalers.
const scalingDecisions = "scaling"

func (o *explainOptions) number() (int, error) {
	if o.request == firstRejected {
		return execute.FirstRejected, nil
	}
	n, err := strconv.Atoi(o.request)
	if err != nil || n < 0 {
		return 0, badInputError{fmt.Errorf("--explain %q: must be the number of a request, from 0 in order of arrival, %s or %s", o.request, firstRejected, scalingDecisions)}
	}
	return n, nil
}

// explanationOutput is what `run --explain -o json` prints.
type explanationOutput struct {
	identity
	*execute.RequestStory
	// WhatIf is there with --what-if.
	WhatIf *whatif.Report `json:"whatIf,omitempty"`
}

// explain prints the story of one request.
func (o *runOptions) explain(ctx context.Context, runs []compiledRun, stdout io.Writer) error {
	if o.explained.request == scalingDecisions {
		return o.explainScaling(ctx, runs, stdout)
	}
	request, err := o.explained.number()
	if err != nil {
		return err
	}
	run, err := singleRun(runs, "--explain")
	if err != nil {
		return err
	}
	if err := o.checkTrust(run.Plan); err != nil {
		return err
	}
	seed := o.seedOf(run)
	story, err := execute.Explain(ctx, run.Plan, run.Traces, seed, request, o.check)
	switch {
	case errors.Is(err, execute.ErrNoSuchRequest):
		return badInputError{fmt.Errorf("SimulationRun %s: --explain %s: %w", run.Name, o.explained.request, err)}
	case err != nil:
		return fmt.Errorf("SimulationRun %s: %w", run.Name, err)
	}
	elsewhere, err := o.whatIf(ctx, run, seed, story)
	switch {
	case err != nil:
		return err
	case o.output == outputTable:
		fmt.Fprintf(stdout, "SimulationRun %s\n\n", run.Name)
		return printStory(stdout, story, elsewhere)
	default:
		return o.output.write(stdout, explanationOutput{identify(run.TypeMeta, run.ObjectMeta), story, elsewhere})
	}
}

// printStory prints what became of a request, and then what would have, if that was asked.
func printStory(stdout io.Writer, story *execute.RequestStory, elsewhere *whatif.Report) error {
	if err := story.Table(stdout); err != nil || elsewhere == nil {
		return err
	}
	fmt.Fprintln(stdout)
	return elsewhere.Table(stdout)
}

// scalingOutput is what `run --explain scaling -o json` prints.
type scalingOutput struct {
	identity
	*execute.ScalingStory
}

// explainScaling prints what the scalers of a run decided.
func (o *runOptions) explainScaling(ctx context.Context, runs []compiledRun, stdout io.Writer) error {
	run, err := singleRun(runs, "--explain")
	if err != nil {
		return err
	}
	if err := o.checkTrust(run.Plan); err != nil {
		return err
	}
	seed := o.seedOf(run)
	story, err := execute.ExplainScaling(ctx, run.Plan, run.Traces, seed, o.check)
	switch {
	case errors.Is(err, execute.ErrNoScaler):
		return badInputError{fmt.Errorf("SimulationRun %s: --explain %s: %w; state one in spec.scenario.scalers", run.Name, scalingDecisions, err)}
	case err != nil:
		return fmt.Errorf("SimulationRun %s: %w", run.Name, err)
	case o.output == outputTable:
		fmt.Fprintf(stdout, "SimulationRun %s\n\n", run.Name)
		return story.Table(stdout)
	default:
		return o.output.write(stdout, scalingOutput{identify(run.TypeMeta, run.ObjectMeta), story})
	}
}

// singleRun refuses several runs for what concerns one.
func singleRun(runs []compiledRun, what string) (compiledRun, error) {
	if len(runs) > 1 {
		return compiledRun{}, badInputError{fmt.Errorf("%s needs one SimulationRun, but there are %d: select one with --name", what, len(runs))}
	}
	return runs[0], nil
}
