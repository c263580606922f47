// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/inspect"
	"windtunnel.dev/windtunnel/pkg/experiment/whatif"
)

// ExplainOptions are the flags of `run --explain`.
type ExplainOptions struct {
	// Request is a number from 0, or rejected; "" where nothing is explained.
	Request string
	// seed is negative where the run's first one is meant.
	seed   int64
	whatIf whatIfOptions
}

// FirstRejected is the value of --explain that stands for the first request that
// is rejected.
const FirstRejected = "rejected"

// scalingDecisions is the value of --explain that stands for the decisions of scalers.
const scalingDecisions = "scaling"

// Number returns the number of the request to explain.
func (o *ExplainOptions) Number() (int, error) {
	if o.Request == FirstRejected {
		return execute.FirstRejected, nil
	}
	n, err := strconv.Atoi(o.Request)
	if err != nil || n < 0 {
		return 0, cli.BadInput(fmt.Errorf("--explain %q: must be the number of a request, from 0 in order of arrival, %s or %s", o.Request, FirstRejected, scalingDecisions))
	}
	return n, nil
}

// ToldOutput is what `run --explain -o json` prints: the fields of a story after the identity.
type ToldOutput struct {
	cli.Identity
	Story json.RawMessage
}

// MarshalJSON implements [json.Marshaler].
func (o ToldOutput) MarshalJSON() ([]byte, error) {
	head, err := json.Marshal(o.Identity)
	if err != nil {
		return nil, err
	}
	rest, is := bytes.CutPrefix(o.Story, []byte("{"))
	if !is {
		return nil, errors.New("a story must be an object")
	}
	return append(append(head[:len(head)-1], ','), rest...), nil
}

// explain prints the story of one request, or of the scalers.
func (o *runOptions) explain(ctx context.Context, runs []local.Run, stdout io.Writer) error {
	asked, err := o.explained.story()
	if err != nil {
		return err
	}
	run, err := local.SingleRun(runs, "--explain")
	if err != nil {
		return err
	}
	p := cli.NewProgress(run.Name)
	defer p.End()
	asked.Progress = func(done, of int) {
		p.Total = of
		p.Update(done)
	}
	of := experiment.Case{Trial: &experiment.Trial{Share: 1}, Seed: o.seedOf(run)}
	seen, err := o.ask(ctx, run, of, inspect.Question{Story: asked})
	switch {
	case errors.Is(err, execute.ErrNoScaler):
		return cli.BadInput(fmt.Errorf("SimulationRun %s: --explain %s: %w; state one in spec.scenario.scalers", run.Name, scalingDecisions, err))
	case errors.Is(err, execute.ErrNoSuchRequest):
		return cli.BadInput(fmt.Errorf("SimulationRun %s: --explain %s: %w", run.Name, o.explained.Request, err))
	case errors.Is(err, whatif.ErrNoPick):
		return cli.BadInput(fmt.Errorf("SimulationRun %s: --what-if: %w, so there is none to compare with", run.Name, err))
	case err != nil:
		return fmt.Errorf("SimulationRun %s: %w", run.Name, err)
	case o.Output == cli.Table:
		_, err := fmt.Fprintf(stdout, "SimulationRun %s\n\n%s", run.Name, seen.Told.Table)
		return err
	default:
		return o.Output.Write(stdout, ToldOutput{Identity: cli.Identify(run.TypeMeta, run.ObjectMeta), Story: seen.Told.Document})
	}
}

// story is what --explain asks for.
func (o *ExplainOptions) story() (*inspect.Story, error) {
	if o.Request == scalingDecisions {
		return &inspect.Story{Scaling: true}, nil
	}
	request, err := o.Number()
	if err != nil {
		return nil, err
	}
	story := &inspect.Story{Request: request}
	if w := &o.whatIf; w.asked {
		story.WhatIf = &inspect.WhatIf{Window: w.window, Flips: w.flips}
	}
	return story, nil
}
