// SPDX-License-Identifier: Apache-2.0

// Package observe is about objects of a cluster while they run and after: the verbs observe, explain, top, watch,
// logs and dashboard.
package observe

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cluster"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/observe"
)

// observeOptions are the flags of observe.
type observeOptions struct {
	local.Options
	cluster cluster.Options
	// Point is that of a sweep; negative is none.
	Point    int
	measured measuredOptions
	seeds    int
	rules    observe.Rules
	// textfile names the file that metrics are written to; "" is none.
	textfile string
	played   playOptions
	followed followOptions
}

// NewCommand is the verb observe.
func NewCommand() *cobra.Command {
	o := observeOptions{cluster: cluster.Options{Instead: ", or name a manifest with -f"}}
	cmd := &cobra.Command{
		Use:   "observe (-f FILE | NAME | TYPE/NAME) (--prometheus URL | --samples FILE)",
		Short: "Compare a prediction with what a cluster's Prometheus measured, and name the assumption that drifted",
		Long: `Compare the prediction of a SimulationRun with what a Prometheus measured after a rollout.

Reads a manifest (-f) or an object of a cluster, and measured values: from a Prometheus, or
from a file with answers to query_range or CSV with the columns time,metric,value and one for
each label. It changes nothing in the cluster but what --condition asks for.

Compares each value with the interval that simulations under many seeds predict for one more
hour. A value outside is drift, unless chance explains it. The command then names the
assumption (traffic, lengths, cache hit share, step time) whose measured value removes most of
the error. --play writes samples to try the command without a cluster.

--follow looks each minute until the command is stopped. The rate of --false-alarms is then
that of a day. Each look also takes over the traffic and the lengths that were measured, and
forecasts the next window, as things are and with the EPP configuration of --propose.
--inference-pool takes what serves from the cluster, and --condition writes what a look finds
into the status of the run.

Exit codes: 0 as predicted, 1 drift, 2 invalid input, nothing measured, or a Prometheus that
does not answer. With --follow: 0 when it is stopped, 2 invalid input.`,
		Example: `  windtunnel observe -f run.yaml --prometheus https://prometheus:9090 --bearer-token-file token --selector 'namespace="serve"' --last 6h
  windtunnel observe my-run -n experiments --prometheus http://localhost:9090 --last 24h --textfile windtunnel.prom
  windtunnel observe -f run.yaml --prometheus http://localhost:9090 --follow --propose epp-new.yaml
  windtunnel observe chat -n serve --prometheus http://localhost:9090 --follow --inference-pool llama --condition
  windtunnel observe -f run.yaml --play samples.json`,
		Args: cluster.Args(cli.Arguments(0, 1, "takes the name of one SimulationRun or PolicySweep"), "observe -f"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	o.Register(cmd)
	o.RegisterSettings(cmd)
	o.measured.register(cmd.Flags())
	o.played.register(cmd.Flags())
	o.followed.register(cmd.Flags())
	f := cmd.Flags()
	o.cluster.Register(cmd)
	cmd.ValidArgsFunction = o.cluster.CompleteObjects("", 1, false)
	f.IntVar(&o.Point, "point", -1, "point of a PolicySweep that was rolled out, by its number in the sweep's results")
	f.IntVar(&o.seeds, "seeds", 20, "seeds that the prediction is simulated under, from the run's first one on")
	f.Float64Var(&o.rules.Confidence, "confidence", 0.95, "confidence of the intervals")
	f.Float64Var(&o.rules.FalseAlarms, "false-alarms", 0.01, "probability of drift in a cluster that is as predicted, over all values together")
	f.Float64Var(&o.rules.Tolerance, "tolerance", 0.05, "difference from the predicted value, as a share of it, that is no drift, because no simulation is exact")
	f.StringVar(&o.textfile, "textfile", "", "file to write metrics to, in the text format of Prometheus")
	cli.Rules(cmd, append(o.followed.rules(),
		cli.FlagRule{Flag: "play", Why: "writes samples", Without: []string{"prometheus", "samples"}},
		cli.FlagRule{Flag: "scrape-interval", Needs: []string{"play"}},
		cli.FlagRule{Flag: "selector", Needs: []string{"prometheus"}},
		cli.FlagRule{Flag: "bearer-token-file", Needs: []string{"prometheus"}},
		cli.FlagRule{Flag: "ca-file", Needs: []string{"prometheus"}})...)
	return cmd
}

// checkFlags refuses flags that do not go together.
func (o *observeOptions) checkFlags(args []string) error {
	var faults cli.Faults
	faults.If((len(args) == 0) == (len(o.Files) == 0), "one prediction is required: -f FILE, or the name of a SimulationRun in the cluster")
	faults.If(len(args) > 0 && (o.Name != "" || len(o.ConfigMaps) > 0 || len(o.Volumes) > 0), "--name, --configmap and --volume are for manifests: use them with -f FILE")
	faults.If(o.seeds < leastObserved || o.seeds > mostObserved, "--seeds must be from %d to %d", leastObserved, mostObserved)
	faults.If(!(o.rules.Confidence > 0 && o.rules.Confidence < 1), "--confidence must be between 0 and 1")
	faults.If(!(o.rules.FalseAlarms > 0 && o.rules.FalseAlarms < 1), "--false-alarms must be between 0 and 1")
	faults.If(!(o.rules.Tolerance >= 0 && o.rules.Tolerance < 1), "--tolerance must be at least 0 and less than 1")
	if o.followed.on {
		o.measured.last = cmp.Or(o.measured.last, followedWindow)
	}
	if o.played.file == "" {
		o.measured.check(&faults)
	}
	faults.If(o.followed.on && o.followed.between < time.Second, "--between must be at least 1s")
	faults.If(o.followed.proposal == "-", "--propose needs a file")
	faults.If(o.followed.proposal != "" && o.Point >= 0, "--propose needs a SimulationRun: a point of a sweep has its own configuration")
	faults.If(o.followed.condition && (len(args) == 0 || o.Point >= 0), "--condition needs a SimulationRun of the cluster: name it in place of -f")
	faults.If(o.followed.pool != "" && o.Point >= 0, "--inference-pool needs a SimulationRun")
	faults.If(o.played.interval < time.Millisecond, "--scrape-interval must be at least 1ms")
	return faults.Err()
}

// The bounds of --seeds.
const (
	leastObserved = 5
	mostObserved  = 1000
)

// causeSeeds is how many seeds an assumption is tried with.
const causeSeeds = 5

func (o *observeOptions) run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := o.checkFlags(args); err != nil {
		return err
	}
	if err := cli.CheckFolders(map[string]string{"--textfile": o.textfile, "--play": o.played.file}); err != nil {
		return err
	}
	o.cluster.Timeout = o.measured.timeout
	of, err := o.observed(ctx, args, stdin)
	if err != nil {
		return err
	}
	if o.played.file != "" {
		return o.play(ctx, of, stdout)
	}
	local.PrintWarnings(stderr, of.warnings)
	if o.followed.on {
		return o.follow(ctx, of, len(args) == 0, stdout, stderr)
	}
	window, recording, err := o.measured.read(ctx)
	if err != nil {
		return cli.BadInput(err)
	}
	p := cli.NewProgress("observe " + of.Name)
	defer p.End()
	p.Begin(o.seeds)
	report, err := (&observe.Observer{
		Run: of.Name, Make: of.make, WarmUp: of.warmUp, Period: of.period, Rules: o.rules,
		Options: observe.Options{Seeds: of.seedsFrom(0, o.seeds), CauseSeeds: causeSeeds, Parallelism: o.Parallelism, Progress: p.Update},
	}).Observe(ctx, window, recording)
	p.End()
	if err != nil {
		return observationError(err)
	}
	return o.print(report, stdout)
}

// observationError marks what the user can mend.
func observationError(err error) error {
	var short *observe.NoTrafficError
	switch {
	case errors.As(err, &short), errors.Is(err, observe.ErrNothingMeasured), errors.Is(err, execute.ErrInvalidPoint):
		return cli.BadInput(err)
	case errors.Is(err, execute.ErrWatched):
		return local.ToTrust(err)
	}
	return err
}

// driftError says that there is drift, after all was done.
type driftError struct{ name string }

func (e driftError) Error() string { return e.name + ": the cluster is not as predicted" }

// print prints a report, and writes its metrics first.
func (o *observeOptions) print(r *observe.Report, stdout io.Writer) error {
	if o.textfile != "" {
		if err := cli.WriteWhole(o.textfile, r.WriteMetrics); err != nil {
			return cli.BadInput(fmt.Errorf("--textfile: %w", err))
		}
	}
	var err error
	if o.Output == cli.Table {
		var text bytes.Buffer
		err = r.WriteTable(&text, o.Legend.Shown)
		if err == nil {
			_, err = text.WriteTo(stdout)
		}
	} else {
		err = o.Output.Write(stdout, r)
	}
	if err == nil && r.Drift {
		err = driftError{r.Run}
	}
	return err
}
