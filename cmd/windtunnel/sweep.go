// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
)

// sweepOutput is what `sweep -o json` prints for an object.
type sweepOutput struct {
	identity
	Status      v1alpha1.PolicySweepStatus `json:"status"`
	Leaderboard *result.Leaderboard        `json:"leaderboard"`
	Rows        []result.Row               `json:"rows"`
}

func newSweepCommand() *cobra.Command {
	var o localOptions
	cmd := &cobra.Command{
		Use:   "sweep -f FILE",
		Short: "Run the PolicySweeps of a manifest on this machine",
		Long: `Run every PolicySweep of a manifest on this machine, with no cluster, and print
a leaderboard.

The manifest is defaulted and validated as an API server would do it.
ConfigMaps that it refers to are taken from the same file or from --configmap.`,
		Example: `  windtunnel sweep -f config/samples/policysweep-llm-d-default.yaml
  windtunnel sweep -f sweep.yaml --parallelism 2 -o json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.sweep(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	o.register(cmd)
	return cmd
}

func (o *localOptions) sweep(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	set, err := o.load(stdin)
	if err != nil {
		return err
	}
	var ready []compiledSweep
	err = forEach(o, "PolicySweep", set.Sweeps, func(sweep *v1alpha1.PolicySweep) error {
		c, errs, err := experiment.CompileSweep(ctx, sweep, o.inputs(set, sweep.Namespace))
		ready = append(ready, compiledSweep{sweep, c})
		return compiled("PolicySweep", sweep.Name, errs, err)
	})
	if err != nil {
		return err
	}
	for _, s := range ready {
		if err := o.sweepOne(ctx, s, stdout); err != nil {
			return err
		}
	}
	return nil
}

// compiledSweep is a sweep that is known to be right.
type compiledSweep struct {
	*v1alpha1.PolicySweep
	*experiment.Compiled
}

func (o *localOptions) sweepOne(ctx context.Context, sweep compiledSweep, stdout io.Writer) error {
	conducted, err := o.conduct(ctx, sweep.Name, sweep.Compiled, conductor{})
	if err != nil {
		return fmt.Errorf("PolicySweep %s: %w", sweep.Name, err)
	}
	board, err := conducted.Leaderboard()
	if err != nil {
		return err
	}
	if o.output == outputTable {
		fmt.Fprintf(stdout, "PolicySweep %s\n\n", sweep.Name)
		printWarnings(stdout, sweep.Plan.Warnings, sweep.Plan.Findings...)
		if err := board.Table(stdout); err != nil {
			return err
		}
		printApproximations(stdout, sweep.Plan.Approximations)
		return nil
	}
	out := sweepOutput{identity: identify(sweep.TypeMeta, sweep.ObjectMeta), Leaderboard: board, Rows: conducted.Rows()}
	experiment.FillStatus(&out.Status.CommonStatus, sweep.Plan)
	if err := experiment.FillSweep(&out.Status, conducted.Study); err != nil {
		return err
	}
	return o.output.write(stdout, out)
}
