// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/advice"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/report/page"
	"windtunnel.dev/windtunnel/pkg/result"
	insight "windtunnel.dev/windtunnel/pkg/trace"
)

// Formats of reports.
const (
	outputHTML     outputFormat = "html"
	outputMarkdown outputFormat = "markdown"
)

// reportOptions are the flags of report.
type reportOptions struct {
	namespace, name string
	output          outputFormat
	reflected       reflectOptions
}

func newReportCommand() *cobra.Command {
	o := reportOptions{output: outputHTML}
	cmd := &cobra.Command{
		Use:   "report FILE | NAME | TYPE/NAME",
		Short: "Write the report of a PolicySweep or a SimulationRun as one page, from a file or a cluster",
		Long: `Write the report of a PolicySweep: whether the best candidate may ship and why, what
would change, what is expected, all candidates, and what the figures rest on. The report of a
SimulationRun has its gates and targets, its figures, latencies and values over time, its
replicas, its cost, and the requests that fared worst. The page is one HTML file with charts,
which asks the network for nothing.

FILE is the output of run or sweep -o json. NAME is an object in the cluster of the
kubeconfig. If a sweep and a run have the same name, write policysweep/NAME or
simulationrun/NAME. The command simulates nothing.

A file has the figures and not the scenario, so its report has neither changed lines
nor assumptions. sweep --report FILE.html writes them. Charts over time need
spec.trace.series on a cluster; run --report FILE.html has them.

--reflect STRATEGY prints the summary of run --reflect from FILE, the output of
run --reflect -o json, as another strategy tells it.

The exit code is 0 for each report, whatever the verdict.`,
		Example: `  windtunnel report my-sweep -n experiments > report.html
  windtunnel report simulationrun/my-run > report.html
  windtunnel report my-sweep -o markdown
  windtunnel sweep -f sweep.yaml -o json > sweep.json; windtunnel report sweep.json > report.html`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args[0], cmd.OutOrStdout())
		},
	}
	formats := choice{&o.output, []outputFormat{outputHTML, outputMarkdown, outputJSON}}
	f := cmd.Flags()
	f.VarP(formats, "output", "o", formats.words()+"; json is the numbers of the page")
	f.StringVarP(&o.namespace, "namespace", "n", "", "namespace of the object (default the kubeconfig's)")
	f.StringVar(&o.reflected.strategy, "reflect", "", "print the summary of what went wrong that is in the output of run --reflect -o json: "+strategies())
	f.IntVar(&o.reflected.maxTokens, "max-tokens", insight.DefaultMaxTokens, "with --reflect, how long the summary is at most, in tokens of 4 characters; the least important lines go first")
	f.StringVar(&o.name, "name", "", "report on the object of this name, from a file with several")
	return cmd
}

func (o *reportOptions) run(ctx context.Context, of string, stdout io.Writer) error {
	if o.reflected.strategy != "" {
		return o.reflect(of, stdout)
	}
	if err := o.reflected.check(); err != nil {
		return err
	}
	p, err := o.read(ctx, of)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := o.output.writeReport(&text, p); err != nil {
		return err
	}
	_, err = text.WriteTo(stdout)
	return err
}

// writeReport writes a report in a format.
func (f outputFormat) writeReport(w io.Writer, p page.Report) error {
	switch f {
	case outputHTML:
		return p.Write(w)
	case outputJSON:
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(p.Numbers())
	default:
		return p.Markdown(w)
	}
}

// read returns the report of a file if there is one of that name, else that of an object.
func (o *reportOptions) read(ctx context.Context, of string) (page.Report, error) {
	if _, err := os.Stat(of); err == nil {
		return o.readFile(of)
	}
	if strings.ContainsAny(of, ".") {
		return nil, badInputError{fmt.Errorf("there is no file %s", of)}
	}
	kind, name, err := objectOf(of)
	if err != nil {
		return nil, err
	}
	reader, namespace, err := clusterReader()
	if err != nil {
		return nil, err
	}
	if o.namespace != "" {
		namespace = o.namespace
	}
	return o.clusterReport(ctx, reader, namespace, kind, name)
}

// clusterReport is the report of an object on a cluster.
func (o *reportOptions) clusterReport(ctx context.Context, reader client.Reader, namespace, kind, name string) (page.Report, error) {
	sweep, run, err := findObject(ctx, reader, namespace, kind, name)
	switch {
	case err != nil:
		return nil, err
	case sweep != nil:
		return o.clusterSweep(ctx, reader, sweep)
	default:
		return clusterRun(ctx, reader, run)
	}
}

// clusterSweep is the report of a sweep on a cluster: its rows take the place of simulations.
func (o *reportOptions) clusterSweep(ctx context.Context, reader client.Reader, sweep *v1alpha1.PolicySweep) (*page.Sweep, error) {
	label := fmt.Sprintf("PolicySweep %s/%s", sweep.Namespace, sweep.Name)
	set := &resultSet{}
	if err := set.read(ctx, reader, kindSweep, sweep, sweep.Status.Results); err != nil {
		return nil, err
	}
	compiled, errs, err := compile.Sweep(ctx, sweep, clusterInputs{reader, sweep.Namespace})
	switch {
	case err != nil:
		return nil, err
	case len(errs) > 0:
		return nil, badInputError{fmt.Errorf("%s is invalid:\n%s", label, bulletList(errs))}
	case compiled.Plan.Hash() != sweep.Status.PlanHash:
		return nil, badInputError{fmt.Errorf("%s: the results are those of another spec or of another version of Windtunnel: wait until the manager has run the present spec, or use the manager's version of this command", label)}
	}
	st, err := study.New(compiled.Plan)
	if err != nil {
		return nil, err
	}
	if err := replay(st, set.rows); err != nil {
		return nil, fmt.Errorf("%s: %w", label, err)
	}
	r, err := reportOf(st, label, o.output)
	if err != nil {
		return nil, badInputError{fmt.Errorf("%s: %w", label, err)}
	}
	return &page.Sweep{Report: r, Facts: planFacts(compiled.Plan), WithoutSeries: withoutSeries}, nil
}

// readFile reads the output of run or sweep -o json.
func (o *reportOptions) readFile(name string) (page.Report, error) {
	raw, err := os.ReadFile(name)
	if err != nil {
		return nil, badInputError{err}
	}
	objects, err := readPrinted(raw)
	if err != nil {
		return nil, badInputError{fmt.Errorf("%s is not the output of run or sweep -o json", name)}
	}
	p, err := o.choose(objects)
	if err != nil {
		return nil, badInputError{fmt.Errorf("%s: %w", name, err)}
	}
	var r page.Report
	if p.Kind == kindRun {
		r, err = p.runReport()
	} else {
		r, err = p.report()
	}
	if err != nil {
		return nil, badInputError{fmt.Errorf("%s: %w", name, err)}
	}
	return r, nil
}

// choose returns the object that --name names, or the only one.
func (o *reportOptions) choose(objects []printed) (*printed, error) {
	if o.name == "" && len(objects) > 1 {
		return nil, fmt.Errorf("the file has %d objects: select one with --name", len(objects))
	}
	at := slices.IndexFunc(objects, func(p printed) bool { return o.name == "" || p.Metadata.Name == o.name })
	if at < 0 {
		return nil, fmt.Errorf("the file has no object %q", o.name)
	}
	return &objects[at], nil
}

// report is the report of a printed sweep.
func (p *printed) report() (*page.Sweep, error) {
	board := p.Leaderboard
	switch {
	case board == nil:
		return nil, errors.New("report needs the output of run or sweep -o json, and the object is neither a SimulationRun nor a PolicySweep")
	case board.SchemaVersion != result.LeaderboardSchemaVersion:
		return nil, fmt.Errorf("the leaderboard has schemaVersion %q, and this version of windtunnel reads %q", board.SchemaVersion, result.LeaderboardSchemaVersion)
	case p.Status.EngineVersion != "" && p.Status.EngineVersion != board.EngineVersion:
		return nil, fmt.Errorf("the leaderboard is of engine version %s and the status of %s: simulate all of the sweep with one version", board.EngineVersion, p.Status.EngineVersion)
	case len(board.Candidates) == 0 || !board.Candidates[0].Complete():
		return nil, errors.New("no point has all of its results")
	}
	r := &report.Sweep{
		Title: "PolicySweep " + p.Metadata.Name, Board: board, Best: board.Candidates[0].Point, Top: advice.ReportedTop, Gates: p.Gates,
		StepTimes: p.Status.StepTimes, Warnings: p.Status.Warnings, Approximations: p.Status.Approximations,
	}
	for i := range board.Candidates {
		if c := &board.Candidates[i]; c.Name() == experiment.Configuration+"="+experiment.ProposedProfile {
			r.Best, r.Proposed = c.Point, true
		}
	}
	if base := r.Baseline(); base != nil && base.Rank == board.Candidates[0].Rank && len(p.Gates) > 0 && !r.Proposed {
		r.Keep = report.LeaderboardVerdict(board)
	}
	facts := []page.Fact{{Name: "Engine", Value: board.EngineVersion, Code: true}}
	if p.Status.PlanHash != "" {
		facts = append(facts, page.Fact{Name: "Plan", Value: p.Status.PlanHash, Code: true})
	}
	return &page.Sweep{Report: r, Facts: append(facts, inputFacts(p.Status.Inputs)...), WithoutSeries: withoutSeries}, nil
}
