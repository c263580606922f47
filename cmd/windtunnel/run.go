// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
)

// runOutput is what `run -o json` prints for an object.
type runOutput struct {
	identity
	Status  v1alpha1.SimulationRunStatus `json:"status"`
	Rows    []result.Row                 `json:"rows"`
	Results []*result.Document           `json:"results"`
}

func newRunCommand() *cobra.Command {
	var o localOptions
	cmd := &cobra.Command{
		Use:   "run -f FILE",
		Short: "Simulate the SimulationRuns of a manifest on this machine",
		Long: `Simulate every SimulationRun of a manifest on this machine, with no cluster.

The manifest is defaulted and validated as an API server would do it.
ConfigMaps that it refers to are taken from the same file or from --configmap.

-o prometheus prints what the stability controllers of a run's replicas knew when
arrivals ended, in the text format of Prometheus: pools[].kvCache.stability makes
them watch.`,
		Example: `  windtunnel run -f config/samples/simulationrun-poisson.yaml
  windtunnel run -f run.yaml --configmap trace.yaml -o json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	o.register(cmd, outputPrometheus)
	return cmd
}

func (o *localOptions) run(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	set, err := o.load(stdin)
	if err != nil {
		return err
	}
	var ready []compiledRun
	err = forEach(o, "SimulationRun", set.Runs, func(run *v1alpha1.SimulationRun) error {
		c, errs, err := experiment.CompileRun(ctx, run, o.inputs(set, run.Namespace))
		ready = append(ready, compiledRun{run, c})
		return compiled("SimulationRun", run.Name, errs, err)
	})
	if err != nil {
		return err
	}
	if o.output == outputPrometheus {
		if err := checkPrometheus(ready); err != nil {
			return err
		}
	}
	for _, r := range ready {
		if err := o.runOne(ctx, r, stdout); err != nil {
			return err
		}
	}
	return nil
}

// compiledRun is a run that is known to be right.
type compiledRun struct {
	*v1alpha1.SimulationRun
	*experiment.Compiled
}

func (o *localOptions) runOne(ctx context.Context, run compiledRun, stdout io.Writer) error {
	simulations, err := o.simulate(ctx, run.Name, run.Compiled)
	if err != nil {
		return fmt.Errorf("SimulationRun %s: %w", run.Name, err)
	}
	rows, documents := experiment.Split(simulations)
	switch o.output {
	case outputPrometheus:
		return result.WriteStability(stdout, documents)
	case outputTable:
		fmt.Fprintf(stdout, "SimulationRun %s\n\n", run.Name)
		printWarnings(stdout, run.Plan.Warnings)
		return result.RunTable(stdout, documents)
	}
	out := runOutput{identity: identify(run.TypeMeta, run.ObjectMeta), Rows: rows, Results: documents}
	experiment.FillStatus(&out.Status.CommonStatus, run.Plan)
	if err := experiment.FillRun(&out.Status, run.Plan, rows); err != nil {
		return err
	}
	return o.output.write(stdout, out)
}

// checkPrometheus says why there are no metrics for Prometheus, or metrics of
// one name and several objects.
func checkPrometheus(runs []compiledRun) error {
	if len(runs) > 1 {
		return badInput{fmt.Errorf("-o prometheus prints the metrics of one SimulationRun, and there are %d: choose one with --name", len(runs))}
	}
	pools := runs[0].Spec.Scenario.Pools
	if slices.ContainsFunc(pools, func(p v1alpha1.Pool) bool { return p.KVCache.Stability != nil }) {
		return nil
	}
	at := field.NewPath("spec", "scenario", "pools").Index(0).Child("kvCache", "stability")
	return compiled("SimulationRun", runs[0].Name, field.ErrorList{
		field.Required(at, "-o prometheus prints what the controller of some pool knows, and none watches"),
	}, nil)
}

// simulate runs all of a plan on this machine.
func (o *localOptions) simulate(ctx context.Context, name string, c *experiment.Compiled) ([]experiment.Simulation, error) {
	total := c.Plan.Simulations()
	p := newProgress(name, total)
	defer p.end()
	simulations, err := c.Plan.Simulate(ctx, c.Trace, experiment.Span{First: 0, End: total}, experiment.Options{
		Parallelism: o.parallelism,
		Progress:    p.update,

		CheckInvariants: o.check,
	})
	if errors.Is(err, experiment.ErrInvalidPoint) {
		return nil, badInput{err}
	}
	return simulations, err
}

func printWarnings(w io.Writer, warnings []string) {
	for _, text := range warnings {
		fmt.Fprintf(w, "warning: %s\n", text)
	}
	if len(warnings) > 0 {
		fmt.Fprintln(w)
	}
}
