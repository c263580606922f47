// SPDX-License-Identifier: Apache-2.0

// Package run is the verb run: SimulationRuns on this machine, with explanations, summaries, traces and reports.
package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/result"
)

// Output is what `run -o json` prints for an object.
type Output struct {
	cli.Identity
	Status  v1alpha1.SimulationRunStatus `json:"status"`
	Rows    []result.Row                 `json:"rows"`
	Results []*result.Document           `json:"results"`
	// Findings are what the run owes in addition to its figures.
	Findings []result.RunFinding `json:"findings,omitempty"`
	// Ceilings are there with --ceiling, one for each result.
	Ceilings []*execute.Ceiling `json:"ceilings,omitempty"`
}

// runOptions are the flags of run.
type runOptions struct {
	local.Options
	explained ExplainOptions
	reflected ReflectOptions
	trace     traceOptions
	// series names the file that time series are written to; "" is none.
	series string
	// report names the file that a report is written to; "" is none.
	report string
	// ceiling asks for what is possible at most.
	ceiling bool
	// recorded are the requests of a run whose benchmark report is printed.
	recorded local.Recorders
}

// NewCommand is the verb run.
func NewCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run -f FILE",
		Short: "Simulate the SimulationRuns of a manifest on this machine",
		Long: `Simulate every SimulationRun of a manifest on this machine, without a cluster.

` + local.ManifestHelp + `

Writes the figures and the verdict of the gates, or with -o the results (json, yaml), a
Benchmark Report v0.2.1 of llm-d-benchmark, or the metrics of the stability controllers
(prometheus). Some flags explain the results:
  --explain  why the router picked an endpoint for a request, or why scalers acted
  --reflect  what went wrong under one seed, in Markdown
  --ceiling  the cache hits and the pace that no router can exceed
  --report   one page with charts and the worst requests

Exit codes: 0 success and all gates pass, 1 failure, a gate fails or no request completed,
2 invalid input, 3 a gate is undecided.`,
		Example: `  windtunnel run -f config/samples/simulationrun-poisson.yaml
  windtunnel run -f run.yaml --set workload.clients[chat].arrivals.rate=40 --report report.html
  windtunnel run -f run.yaml --explain 17 --what-if`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	o.Register(cmd, cli.Prometheus, cli.BenchmarkReport)
	o.RegisterRequests(cmd)
	o.RegisterSettings(cmd)
	o.RegisterDryRun(cmd)
	f := cmd.Flags()
	f.StringVar(&o.explained.Request, "explain", "", "explain the routing of a request, by its number from 0 in order of arrival, or of the first one that is "+FirstRejected+"; or explain the decisions of scalers: "+scalingDecisions)
	f.Int64Var(&o.explained.seed, "seed", -1, "seed that --explain and --reflect simulate (default the run's first one)")
	o.explained.whatIf.register(f)
	f.StringVar(&o.reflected.Strategy, "reflect", "", "print a summary of what went wrong: "+cli.OneOf(insight.Strategies))
	f.IntVar(&o.reflected.MaxTokens, "max-tokens", insight.DefaultMaxTokens, "with --reflect, how long the summary is at most, in tokens of 4 characters; the least important lines go first")
	f.BoolVar(&o.ceiling, "ceiling", false, "compute the cache hits and the pace that no router can exceed, and print the share of them that the run reached")
	o.trace.register(f)
	f.StringVar(&o.series, "series", "", "file to write time series and distributions to, of all seeds together, as JSON; spec.trace.series sets the number of bins")
	f.StringVar(&o.report, "report", "", "file to write a report to: gates and targets, figures, latencies, values over time, replicas, cost and the worst requests; a page with charts if it ends in .html, else Markdown")
	cli.Rules(cmd, flagRules...)
	return cmd
}

// flagRules are about flags that print something else in place of the results of all seeds.
var flagRules = []cli.FlagRule{
	{Flag: "explain", Why: "prints one decision", Without: []string{"trace", "requests", "series", "report", "output=prometheus", "output=benchmark-report"}},
	{Flag: "reflect", Why: "prints a summary of one simulation", Without: []string{
		"explain", "trace", "requests", "series", "ceiling", "report", "output=prometheus", "output=benchmark-report",
	}},
	{Flag: "dry-run", Why: "simulates nothing", Without: []string{"report", "output=benchmark-report"}},
	{Flag: "output=benchmark-report", Why: "has no place for what others find", Without: []string{"trace", "ceiling"}},
	{Flag: "seed", Needs: []string{"explain", "reflect"}},
	{Flag: "max-tokens", Needs: []string{"reflect"}},
	{Flag: "what-if", Needs: []string{"explain"}},
	{Flag: "what-if-window", Needs: []string{"what-if"}},
	{Flag: "what-if-flips", Needs: []string{"what-if"}},
	{Flag: "trace-level", Needs: []string{"trace"}},
	{Flag: "trace-sample", Needs: []string{"trace"}},
}

func (o *runOptions) run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := errors.Join(o.explained.check(), o.reflected.Check(), o.trace.check()); err != nil {
		return err
	}
	if err := cli.CheckFolders(map[string]string{"--trace": o.trace.file, "--requests": o.Requests, "--series": o.series, "--report": o.report}); err != nil {
		return err
	}
	set, err := o.Load(stdin)
	if err != nil {
		return err
	}
	var ready []local.Run
	err = local.ForEach(&o.Options, set, v1alpha1.SimulationRunKind, set.Runs, func(run *v1alpha1.SimulationRun) error {
		c, errs, err := compile.Run(ctx, run, o.Inputs(set, run), o.Settings...)
		ready = append(ready, local.Run{SimulationRun: run, Compiled: c})
		return local.CompiledFrom(set, run, errs, err)
	})
	if err != nil {
		return err
	}
	if o.Output == cli.Prometheus {
		if err := checkPrometheus(ready); err != nil {
			return err
		}
	}
	if o.Output == cli.BenchmarkReport {
		if _, err := local.SingleRun(ready, "-o benchmark-report"); err != nil {
			return err
		}
	}
	if o.explained.Request != "" {
		return o.explain(ctx, ready, stdout)
	}
	if o.reflected.Strategy != "" {
		return o.reflect(ctx, ready, stdout)
	}
	for _, file := range []struct{ flag, name string }{{"--trace", o.trace.file}, {"--series", o.series}, {"--report", o.report}} {
		if file.name == "" {
			continue
		}
		if _, err := local.SingleRun(ready, file.flag); err != nil {
			return err
		}
	}
	if o.DryRun {
		return local.PrintEstimates(&o.Options, stdout, ready)
	}
	for _, run := range ready {
		if err := o.CheckMemory(stderr, "SimulationRun "+run.Name, run.Plan); err != nil {
			return err
		}
	}
	return o.KeepRequests(func() error { return o.runEach(ctx, ready, stdout) })
}

func (o *runOptions) runEach(ctx context.Context, runs []local.Run, stdout io.Writer) error {
	names := cli.NamesOf(runs)
	defer o.Legend.End(stdout)
	return o.Output.PrintEach(stdout, len(runs), func(i int, stdout io.Writer) error {
		runs[i].Named = names[i]
		return o.runOne(ctx, runs[i], stdout)
	})
}

func (o *runOptions) runOne(ctx context.Context, run local.Run, stdout io.Writer) error {
	conducted, err := o.simulateRun(ctx, run)
	if err != nil {
		return fmt.Errorf("SimulationRun %s: %w", run.Name, err)
	}
	verdict, err := conducted.Verdict()
	if err != nil {
		return err
	}
	if o.series != "" {
		if err := cli.WriteSeries(o.series, conducted.Series); err != nil {
			return err
		}
	}
	ceilings, err := o.ceilings(ctx, run, conducted.Documents)
	if err != nil {
		return fmt.Errorf("SimulationRun %s: %w", run.Name, err)
	}
	if err := o.print(stdout, run, conducted, verdict, ceilings); err != nil {
		return err
	}
	if o.report != "" {
		if err := o.writeReport(ctx, run, conducted); err != nil {
			return fmt.Errorf("SimulationRun %s: --report: %w", run.Name, err)
		}
	}
	return cli.CheckServed("SimulationRun "+run.Name, conducted.Rows(), verdict)
}

func (o *runOptions) print(stdout io.Writer, run local.Run, conducted *execute.LocalRun, verdict *study.Judged, ceilings []*execute.Ceiling) error {
	documents := conducted.Documents
	switch o.Output {
	case cli.Prometheus:
		return report.WriteStability(stdout, documents)
	case cli.BenchmarkReport:
		return o.printBenchmarkReport(stdout, run, conducted, verdict)
	case cli.Table:
		fmt.Fprintf(stdout, "SimulationRun %s\n\n", run.Name)
		cli.PrintNothingServed(stdout, conducted.Rows())
		local.PrintRunVerdict(stdout, verdict)
		fmt.Fprintf(stdout, "%s.\n\n", (&report.RunReport{Documents: documents}).Finding())
		local.PrintWarnings(stdout, o.warnings(run), run.Plan.Findings...)
		if err := o.Legend.Table(stdout, report.Run(documents)); err != nil {
			return err
		}
		printCeilings(stdout, ceilings, documents)
		local.PrintStepTimes(stdout, run.Plan.StepTimes)
		local.PrintApproximations(stdout, run.Plan.Approximations)
		local.PrintGates(stdout, verdict)
		return nil
	}
	out := Output{Identity: cli.Identify(run.TypeMeta, run.ObjectMeta), Rows: cli.RowsOfObject(conducted.Rows(), run.Named), Results: documents, Findings: result.RunFindings(documents), Ceilings: ceilings}
	study.FillStatus(&out.Status.CommonStatus, run.Plan)
	if err := study.FillRun(&out.Status, conducted.Study); err != nil {
		return err
	}
	return o.Output.Write(stdout, out)
}

// warnings are the plan's, and what of the object has no effect here.
func (o *runOptions) warnings(run local.Run) []string {
	warnings := slices.Clone(run.Plan.Warnings)
	if keepsTrace(&run.Spec.Trace) && o.trace.file == "" {
		warnings = append(warnings, "spec.trace: only a cluster stores traces; on this machine use --trace FILE")
	}
	if run.Spec.Trace.Series != nil && o.series == "" && o.report == "" {
		warnings = append(warnings, "spec.trace.series: only a cluster stores series; on this machine use --series FILE or --report FILE.html")
	}
	return warnings
}

// keepsTrace reports whether a cluster keeps a trace with the results.
func keepsTrace(in *v1alpha1.RunTrace) bool {
	return in.Level == v1alpha1.DecisionsTrace || in.Level == v1alpha1.FullTrace
}

// checkPrometheus says why there are no metrics for Prometheus, or metrics of
// one name and several objects.
func checkPrometheus(runs []local.Run) error {
	if _, err := local.SingleRun(runs, "-o prometheus"); err != nil {
		return err
	}
	pools := runs[0].Spec.Scenario.Pools
	if slices.ContainsFunc(pools, func(p v1alpha1.Pool) bool { return p.KVCache.Stability != nil }) {
		return nil
	}
	at := field.NewPath("spec", "scenario", "pools").Index(0).Child("kvCache", "stability")
	return local.Compiled(v1alpha1.SimulationRunKind, runs[0].Name, field.ErrorList{
		field.Required(at, "-o prometheus prints the metrics of stability controllers, but no pool has one"),
	}, nil)
}

// bins is how many bins time series have at most: --series and pages need some, and benchmark
// reports have those of the spec.
func (o *runOptions) bins(run local.Run) int {
	drawn := o.series != "" || cli.ReportFormat(o.report) == cli.HTML
	switch {
	case run.Plan.Series > 0 && (drawn || o.Output == cli.BenchmarkReport):
		return run.Plan.Series
	case drawn:
		return result.MaxSeriesBins
	default:
		return 0
	}
}

func (o *runOptions) simulateRun(ctx context.Context, run local.Run) (*execute.LocalRun, error) {
	if o.trace.file != "" {
		return o.traced(ctx, run)
	}
	series := o.bins(run)
	if o.Output == cli.BenchmarkReport {
		return o.Execute(ctx, run.Name, run.Compiled, local.Executor{Began: o.recorded.Grow, Requests: o.recorded.Open, Series: series})
	}
	return o.Execute(ctx, run.Name, run.Compiled, local.Executor{Series: series})
}
