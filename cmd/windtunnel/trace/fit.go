// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/fit"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// fitOptions are the flags of trace fit.
type fitOptions struct {
	file   FileFlags
	output string
	seed   int64
}

func newTraceFitCommand() *cobra.Command {
	var o fitOptions
	cmd := &cobra.Command{
		Use:   "fit FILE",
		Short: "Find clients that imitate a trace, and compare the two",
		Long: `Find clients that imitate a trace, and compare the two.

Reads a trace in any format that trace inspect reads.

Writes the horizon and the workload of a scenario, as YAML to put below spec.scenario. The
clients follow the rate over time, the burstiness, the lengths and, if prompts have blocks,
what prompts share. Standard error has the comparison of the trace with one draw: lengths,
requests over time, reuse by the size of an LRU cache, and Kolmogorov-Smirnov tests, where a
small p means that the two differ by more than chance.

Exit codes: 0 success, 1 failure, 2 invalid input.`,
		Example: `  windtunnel trace fit conversation_trace.jsonl -o traffic.yaml
  windtunnel trace fit day.jsonl.gz --slice from=10m,to=20m --seed 7
  windtunnel trace fit gateway.csv --order Sort --csv time=ts,timeFormat=Timestamp,inputTokens=prompt,outputTokens=completion`,
		Args: oneTraceFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr(), args[0])
		},
	}
	f := cmd.Flags()
	o.file.Add(f)
	cli.FileFlag(f, &o.output, "")
	f.Int64Var(&o.seed, "seed", 1, "seed of the draw that is compared")
	return cmd
}

func (o *fitOptions) run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, name string) error {
	if err := checkOutput(o.output); err != nil {
		return err
	}
	_, recorded, err := o.file.Open(ctx, stdin, name)
	if err != nil {
		return cli.BadInput(err)
	}
	traffic, comparison, err := Imitate(ctx, recorded, o.seed)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	out, err := cli.CommentedYAML(traffic.Notes, traffic)
	if err != nil {
		return err
	}
	if err := cli.WriteOutput(stdout, o.output, cli.Content(out)); err != nil {
		return err
	}
	if _, err = io.WriteString(stderr, comparison.String()); err != nil {
		return err
	}
	WarnOfImitation(stderr, comparison)
	return nil
}

// Imitate returns clients that imitate a trace, and how near one draw of them is. A warning is
// one of the notes, too.
func Imitate(ctx context.Context, recorded *trace.Trace, seed int64) (*fit.Traffic, *fit.Comparison, error) {
	traffic, err := fit.Trace(recorded)
	if err != nil {
		return nil, nil, cli.BadInput(err)
	}
	drawn, err := drawTraffic(ctx, traffic, seed, recorded.BlockTokens())
	if err != nil {
		return nil, nil, err
	}
	comparison, err := fit.Compare(recorded, drawn)
	if err != nil {
		return nil, nil, err
	}
	if warning := comparison.Warning(); warning != "" {
		traffic.Notes = append(traffic.Notes, "Warning: "+warning+".")
	}
	return traffic, comparison, nil
}

// WarnOfImitation prints where an imitation differs from its trace.
func WarnOfImitation(w io.Writer, c *fit.Comparison) {
	if warning := c.Warning(); warning != "" {
		fmt.Fprintf(w, "warning: %s\n", warning)
	}
}

// drawTraffic returns what an imitation sends under a seed, with blocks of a number of tokens or,
// for 0, without blocks.
func drawTraffic(ctx context.Context, traffic *fit.Traffic, seed int64, blockTokens int) (*trace.Trace, error) {
	run := RunOf("imitation", v1alpha1.Scenario{Horizon: traffic.Horizon, Workload: traffic.Workload})
	if errs := manifest.Validate(run); len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	ready, errs, err := compile.Run(ctx, run, local.Inputs{})
	if err = local.Compiled(v1alpha1.SimulationRunKind, run.Name, errs, err); err != nil {
		return nil, err
	}
	config, err := execute.Config(ready.Plan, ready.Traces, experiment.Case{Trial: &experiment.Trial{Share: 1}, Seed: seed})
	if err != nil {
		return nil, err
	}
	text, written := io.Pipe()
	go func() {
		_, err := writeRequests(contextWriter{ctx, written}, &config, math.MaxInt, blockTokens)
		_ = written.CloseWithError(err) // which never fails
	}()
	drawn, err := trace.Read(trace.Windtunnel, text, "imitation")
	_ = text.Close() // which never fails, and ends the writing
	return drawn, err
}

// RunOf is a run of the traffic of a scenario, on a pool that does not matter to it.
func RunOf(name string, traffic v1alpha1.Scenario) *v1alpha1.SimulationRun {
	run := &v1alpha1.SimulationRun{}
	run.Name, run.Namespace = name, "default"
	traffic.Pools = []v1alpha1.Pool{{Name: "pool", Model: "meta-llama/Llama-3.1-8B-Instruct", Accelerator: "h100-sxm", Replicas: 1}}
	traffic.Router.Policies = &v1alpha1.Policies{Routing: v1alpha1.RoutingPolicy{Policy: "round-robin"}}
	run.Spec.Scenario = traffic
	manifest.Default(run)
	return run
}
