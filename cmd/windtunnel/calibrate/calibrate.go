// SPDX-License-Identifier: Apache-2.0

// Package calibrate fits step times to measured runs, and lists the models and accelerators of the catalogue: the
// verbs calibrate and catalogue.
package calibrate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/calibrate"
)

// calibrateOptions are the flags of calibrate.
type calibrateOptions struct {
	fit, holdout []string
	entry, plot  string
	parallelism  int
	generations  int
}

// NewCommand is the verb calibrate.
func NewCommand() *cobra.Command {
	var o calibrateOptions
	cmd := &cobra.Command{
		Use:   "calibrate -f RUN",
		Short: "Fit the coefficients of the roofline model to measured requests",
		Long: `Fit the coefficients of the roofline model to requests that you measured on a real engine.

Reads RUN, a YAML file that names the model, the accelerator, the settings of the engine, and
a log of requests or a result file of a benchmark; docs/calibrate.md describes the formats.
The command replays the requests on one simulated replica. If the file has no single
requests, it draws some with the measured lengths and rate.

Writes the errors of TTFT, TPOT and E2E for each run, and an entry for the catalogue. The
same files give the same coefficients.

Exit codes: 0 success, 1 failure, 2 invalid input.`,
		Example: `  windtunnel calibrate -f rtx-4090.yaml
  windtunnel calibrate -f rtx-4090.yaml --entry entry.yaml --plot plot.svg
  windtunnel calibrate -f rtx-4090.yaml --holdout rtx-pro-6000.yaml`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), cmd.OutOrStdout()) },
	}
	f := cmd.Flags()
	f.StringArrayVarP(&o.fit, "filename", "f", nil, "measured run to fit (required); may be repeated, and all runs then share the coefficients")
	f.StringArrayVar(&o.holdout, "holdout", nil, "measured run to predict only; may be repeated")
	f.StringVar(&o.entry, "entry", "", "file to write the catalogue entry to")
	f.StringVar(&o.plot, "plot", "", "SVG file to write: a plot of predicted against measured latencies")
	cli.ParallelismFlag(f, &o.parallelism, "replays")
	f.IntVar(&o.generations, "generations", calibrate.DefaultGenerations, "length of the search; use fewer only for a first try")
	return cmd
}

func (o *calibrateOptions) run(ctx context.Context, stdout io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	fitted, err := readRuns(o.fit)
	if err != nil {
		return err
	}
	heldBack, err := readRuns(o.holdout)
	if err != nil {
		return err
	}
	if o.plot != "" && !someTimes(append(runsOf(fitted), runsOf(heldBack)...)) {
		return cli.BadInput(errors.New("--plot shows single requests, and these files have none: use it with a log of requests"))
	}
	warnTableMismatch(fitted, heldBack)
	c, err := o.search(ctx, fitted)
	if err != nil {
		return cli.BadInput(err)
	}
	judgements, err := o.judge(ctx, c, fitted, heldBack)
	if err != nil {
		return cli.BadInput(err)
	}
	entry := func(w io.Writer) error {
		return c.WriteEntry(w, strings.Join(o.fit, ", "), calibrate.FittedOn(runsOf(fitted), judgements))
	}
	// The report holds the entry too: writing the file may fail.
	if err := o.report(stdout, append(fitted, heldBack...), c, judgements, entry); err != nil {
		return err
	}
	return o.writeFiles(entry, judgements)
}

// warnTableMismatch warns of runs that are predicted with the all-reduces of another
// number of GPUs.
func warnTableMismatch(fitted, heldBack []measuredRun) {
	first := fitted[0].Engine
	if len(first.Given.AllReduce) == 0 {
		return
	}
	for i := range heldBack {
		r := &heldBack[i]
		alike := slices.ContainsFunc(fitted, func(f measuredRun) bool { return f.Engine.TensorParallelism == r.Engine.TensorParallelism })
		if r.Engine.TensorParallelism > 1 && !alike && len(r.Engine.Given.AllReduce) == 0 {
			r.warnings = append(r.warnings, fmt.Sprintf("%s: the prediction uses the allReduce table of %d GPUs: add a table to this run", r.Name, first.TensorParallelism))
		}
	}
}

// check finds what would be a pity to find after the search.
func (o *calibrateOptions) check() error {
	var faults cli.Faults
	faults.If(len(o.fit) == 0, "a measured run is required: -f FILE")
	faults.If(o.parallelism < 1, "--parallelism must be at least 1")
	faults.If(o.generations < 1, "--generations must be at least 1")
	if err := faults.Err(); err != nil {
		return err
	}
	return cli.CheckFolders(map[string]string{"--entry": o.entry, "--plot": o.plot})
}

func (o *calibrateOptions) search(ctx context.Context, runs []measuredRun) (*calibrate.Fitted, error) {
	p := cli.NewProgress("calibrate")
	defer p.End()
	return calibrate.Fit(ctx, runsOf(runs), calibrate.Options{
		Workers:     o.parallelism,
		Generations: o.generations,
		Progress: func(done, total int) {
			p.Total = total
			p.Update(done)
		},
	})
}

func runsOf(runs []measuredRun) []*calibrate.Run {
	var all []*calibrate.Run
	for _, r := range runs {
		all = append(all, r.Run)
	}
	return all
}

// someTimes reports whether single requests of some run were measured.
func someTimes(runs []*calibrate.Run) bool {
	return slices.ContainsFunc(runs, func(r *calibrate.Run) bool { return r.Figures == nil })
}

func (o *calibrateOptions) judge(ctx context.Context, c *calibrate.Fitted, fitted, heldBack []measuredRun) ([]*calibrate.Judgement, error) {
	var all []*calibrate.Judgement
	for i, r := range append(fitted, heldBack...) {
		judgements, err := r.Judge(ctx, c.Of(r.Run), i >= len(fitted), o.parallelism)
		if err != nil {
			return nil, err
		}
		all = append(all, judgements...)
	}
	return all, nil
}

// writeFiles writes the files that were asked for, each all of it or none.
func (o *calibrateOptions) writeFiles(entry func(io.Writer) error, judgements []*calibrate.Judgement) error {
	if o.entry != "" {
		if err := cli.WriteWhole(o.entry, entry); err != nil {
			return err
		}
	}
	if o.plot == "" {
		return nil
	}
	return cli.WriteWhole(o.plot, func(w io.Writer) error {
		return calibrate.WriteSVG(w, "Predicted against measured, fitted to "+strings.Join(o.fit, ", "), judgements)
	})
}

func (o *calibrateOptions) report(w io.Writer, runs []measuredRun, c *calibrate.Fitted, judgements []*calibrate.Judgement, entry func(io.Writer) error) error {
	for _, r := range runs {
		local.PrintWarnings(w, r.warnings)
	}
	odd := c.Warnings()
	if text := calibrate.Unexplained(judgements); text != "" {
		odd = append(odd, text)
	}
	local.PrintWarnings(w, odd)
	for _, j := range judgements {
		part := "fitted"
		if j.HeldBack {
			part = "held back"
		}
		fmt.Fprintf(w, "%s (%s, %d requests)\n\n", j.Name, part, len(j.PredictedTimes))
		if err := j.WriteErrors(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	if len(c.Undetermined) > 0 {
		fmt.Fprintf(w, "What the fitted runs leave open:\n  - %s\n\n", strings.Join(c.Undetermined, "\n  - "))
	}
	if someTimes(runsOf(runs)) {
		calibrate.WriteTextPlot(w, judgements)
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "The accelerator's entry for a catalogue:\n\n")
	return entry(w)
}
