// SPDX-License-Identifier: Apache-2.0

// Package sweep compares policies on this machine and promotes the best: the verbs sweep, size and promote.
package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/cmd/windtunnel/state"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// Output is what `sweep -o json` prints for an object.
type Output struct {
	cli.Identity
	Status      v1alpha1.PolicySweepStatus `json:"status"`
	Gates       []result.GateResult        `json:"gates,omitempty"`
	Steps       []result.Step              `json:"steps,omitempty"`
	Leaderboard *result.Leaderboard        `json:"leaderboard"`
	Rows        []result.Row               `json:"rows"`
}

// sweepOptions are the flags of sweep.
type sweepOptions struct {
	local.Options
	// top is how many points the table lists; 0 is all.
	top int
	// state, report and follow name files and a folder; "" is none.
	state, report, follow string
	// reportMost is the greatest number of characters of the report; 0 is no limit.
	reportMost int
	// benchmarkReport names a folder too.
	benchmarkReport string
	promotion       promoteOptions
	proposer        proposerOptions
}

// NewCommand is the verb sweep.
func NewCommand() *cobra.Command {
	var o sweepOptions
	cmd := &cobra.Command{
		Use:   "sweep -f FILE",
		Short: "Simulate the PolicySweeps of a manifest on this machine",
		Long: `Simulate every PolicySweep of a manifest on this machine, without a cluster, and rank its
points.

` + local.ManifestHelp + `

Writes a leaderboard and the verdict of the gates; -o json and yaml add a row for each point
and seed. --promote and --promote-scaler write your files with the values of the best point.
--state keeps finished simulations, from which the same command continues after an
interruption.

Exit codes: 0 success and all gates pass, 1 failure, a gate fails or no request completed,
2 invalid input, 3 undecided: more seeds are needed, or the simulations exercise nothing of
what tells a point from the baseline.`,
		Example: `  windtunnel sweep -f config/samples/policysweep-llm-d-default.yaml
  windtunnel sweep -f sweep.yaml --state sweep.state --report report.html
  windtunnel sweep -f sweep.yaml --promote epp.yaml --promote-scaler llama=hpa.yaml`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.withResumeHint(o.sweep(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()))
		},
	}
	o.Register(cmd)
	o.RegisterRequests(cmd)
	o.RegisterSettings(cmd)
	o.RegisterDryRun(cmd)
	f := cmd.Flags()
	f.IntVar(&o.top, "top", 20, "number of points in the table, in addition to the baseline and the Pareto front; 0 lists all")
	f.StringVar(&o.state, "state", "", "file to store rows in during the sweep; the command continues from its rows")
	f.StringVar(&o.report, "report", "", "file to write a report to: the verdict, the changes, the expected effects and the assumptions; a page with charts if it ends in .html, for which the baseline and the best candidate are simulated again, else Markdown")
	f.IntVar(&o.reportMost, "report-max-characters", 0, "greatest length of a report in Markdown: the longest sections are left out and named; 0 is no limit, and a comment on GitHub may have 65536")
	f.StringVar(&o.follow, "follow", "", "folder to write the best points to as SimulationRuns; spec.follow.best is their number (default 3)")
	f.StringVar(&o.benchmarkReport, "benchmark-report", "", "`DIR`: folder to write a Benchmark Report v0.2.1 of llm-d-benchmark to for each candidate in the table, as benchmark_report_v0.2_NAME-point-N.yaml; the candidates are simulated again")
	o.promotion.register(f)
	o.proposer.register(f)
	cli.Rules(cmd,
		cli.FlagRule{Flag: "requests", Why: "writes every request, which a state file does not keep", Without: []string{"state"}},
		cli.FlagRule{Flag: "set", Why: "changes the scenario for one trial, and a file would keep the change", Without: []string{"promote", "promote-scaler", "follow"}},
		cli.FlagRule{Flag: "promote-anyway", Needs: []string{"promote", "promote-scaler"}},
		cli.FlagRule{Flag: "report-max-characters", Needs: []string{"report"}})
	return cmd
}

// checkFlags refuses values that are not allowed.
func (o *sweepOptions) checkFlags() error {
	if o.top < 0 {
		return cli.BadInput(errors.New("--top must not be negative"))
	}
	if err := cli.CheckLimit("--report-max-characters", o.reportMost, cli.ReportFormat(o.report)); err != nil {
		return err
	}
	if err := o.proposer.check(); err != nil {
		return err
	}
	return o.promotion.readScalers()
}

// checkOutputs makes sure that what the sweep is to write can be written.
func (o *sweepOptions) checkOutputs() error {
	if err := cli.CheckNewFolder("--follow", o.follow); err != nil {
		return err
	}
	if err := cli.CheckNewFolder("--benchmark-report", o.benchmarkReport); err != nil {
		return err
	}
	files := map[string]string{
		"--report": o.report, "--promote": o.promotion.file, "--state": o.state, "--requests": o.Requests,
	}
	for _, m := range o.promotion.manifests {
		files["--promote-scaler "+m.scaler] = m.file
	}
	return cli.CheckFolders(files)
}

func (o *sweepOptions) sweep(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := o.checkFlags(); err != nil {
		return err
	}
	if err := o.checkOutputs(); err != nil {
		return err
	}
	set, err := o.Load(stdin)
	if err != nil {
		return err
	}
	var ready []local.Sweep
	err = local.ForEach(&o.Options, set, v1alpha1.PolicySweepKind, set.Sweeps, func(sweep *v1alpha1.PolicySweep) error {
		c, errs, err := compile.Sweep(ctx, sweep, o.Inputs(set, sweep), o.Settings...)
		ready = append(ready, local.Sweep{PolicySweep: sweep, Compiled: c})
		return local.CompiledFrom(set, sweep, errs, err)
	})
	if err != nil {
		return err
	}
	if (o.promotion.wanted() || o.report != "") && len(ready) > 1 {
		return cli.BadInput(fmt.Errorf("--promote, --promote-scaler and --report need one PolicySweep, but there are %d: select one with --name", len(ready)))
	}
	if err := o.checkBenchmarkReports(ready); err != nil {
		return err
	}
	o.promotion.stderr, o.proposer.stderr = stderr, stderr
	for _, sweep := range ready {
		if err := errors.Join(o.promotion.checkForm(sweep), o.promotion.checkScalers(sweep), o.proposer.checkSweep(sweep.Plan)); err != nil {
			return fmt.Errorf("%s: %w", sweep.Label(), err)
		}
		o.promotion.sayWhatIsLeft(sweep.Plan)
	}
	if o.promotion.file == "-" {
		// What is promoted is all that goes to standard output.
		stdout, o.promotion.stdout = stderr, stdout
	}
	if o.DryRun {
		return local.PrintEstimates(&o.Options, stdout, ready)
	}
	for _, sweep := range ready {
		if err := o.CheckMemory(stderr, sweep.Label(), sweep.Plan); err != nil {
			return err
		}
	}
	return o.KeepRequests(func() error { return o.sweepEach(ctx, set, ready, stdout) })
}

func (o *sweepOptions) sweepEach(ctx context.Context, set *manifest.Set, sweeps []local.Sweep, stdout io.Writer) error {
	names := cli.NamesOf(sweeps)
	defer o.Legend.End(stdout)
	return o.Output.PrintEach(stdout, len(sweeps), func(i int, stdout io.Writer) error {
		sweeps[i].Named = names[i]
		return o.sweepOne(ctx, set, sweeps[i], stdout)
	})
}

func (o *sweepOptions) sweepOne(ctx context.Context, set *manifest.Set, sweep local.Sweep, stdout io.Writer) error {
	conducted, err := o.executeSweep(ctx, sweep)
	if err != nil {
		return fmt.Errorf("%s: %w", sweep.Label(), err)
	}
	judged, err := conducted.Verdict()
	if err != nil {
		return err
	}
	if err := o.print(stdout, sweep, conducted, judged); err != nil {
		return err
	}
	if o.follow != "" {
		if err := o.writeFollowers(set, sweep, conducted.Study); err != nil {
			return fmt.Errorf("%s: --follow: %w", sweep.Label(), err)
		}
	}
	if o.report != "" {
		if err := o.writeSweepReport(ctx, sweep, conducted.Study); err != nil {
			return fmt.Errorf("%s: --report: %w", sweep.Label(), err)
		}
	}
	if o.benchmarkReport != "" {
		if err := o.writeBenchmarkReports(ctx, sweep, conducted, judged); err != nil {
			return fmt.Errorf("%s: --benchmark-report: %w", sweep.Label(), err)
		}
	}
	open := cli.CheckServed(sweep.Label(), conducted.Rows(), judged)
	if err := o.promotion.promote(sweep, conducted.Study, open); err != nil {
		return fmt.Errorf("%s: --promote: %w", sweep.Label(), err)
	}
	return open
}

// withResumeHint marks an error of a sweep whose state is there to go on from.
func (o *sweepOptions) withResumeHint(err error) error {
	if err == nil || o.state == "" {
		return err
	}
	if _, missing := os.Stat(o.state); missing != nil {
		return err
	}
	return cli.Resumable(err, o.state)
}

// executeSweep goes through the sweep, with its state if there is one.
func (o *sweepOptions) executeSweep(ctx context.Context, sweep local.Sweep) (*execute.LocalRun, error) {
	if o.state == "" {
		return o.executeWith(ctx, sweep, nil)
	}
	s, err := state.Open(o.state, sweep)
	if err != nil {
		return nil, err
	}
	conducted, err := o.executeWith(ctx, sweep, s)
	if err == nil {
		err = s.Complete(conducted.Study)
	}
	return conducted, errors.Join(err, s.Close())
}

// executeWith goes through the sweep with a state; nil without --state.
func (o *sweepOptions) executeWith(ctx context.Context, sweep local.Sweep, s *state.State) (*execute.LocalRun, error) {
	ctx, err := o.proposer.attach(ctx, sweep, s)
	if err != nil {
		return nil, err
	}
	var by local.Executor
	if s != nil {
		by = s.Executor()
	}
	conducted, err := o.Execute(ctx, sweep.Name, sweep.Compiled, by)
	if cause := context.Cause(ctx); err != nil && !errors.Is(cause, ctx.Err()) {
		err = cause
	}
	return conducted, err
}

func (o *sweepOptions) print(stdout io.Writer, sweep local.Sweep, conducted *execute.LocalRun, judged *study.Judged) error {
	if o.Output == cli.Table {
		return o.table(stdout, sweep, conducted, judged)
	}
	// Rows are all there; of the leaderboard, what a reader may look at.
	board, err := conducted.Top(maxListed)
	if err != nil {
		return err
	}
	out := Output{Identity: cli.Identify(sweep.TypeMeta, sweep.ObjectMeta), Leaderboard: board}
	if judged != nil {
		out.Gates, out.Steps = judged.Results, judged.Steps
	}
	study.FillStatus(&out.Status.CommonStatus, sweep.Plan)
	if err := study.FillSweep(&out.Status, conducted.Study); err != nil {
		return err
	}
	rows := cli.RowsOfObject(conducted.Rows(), sweep.Named)
	if o.Output == cli.JSON {
		return cli.WriteWithRows(stdout, out, rows)
	}
	out.Rows = rows
	return o.Output.Write(stdout, out)
}

// maxListed bounds the points of a leaderboard in JSON.
const maxListed = 1000

func (o *sweepOptions) table(stdout io.Writer, sweep local.Sweep, conducted *execute.LocalRun, judged *study.Judged) error {
	board, err := conducted.Top(o.top)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s\n\n", sweep.Label())
	cli.PrintNothingServed(stdout, conducted.Rows())
	printSweepVerdict(stdout, judged, board)
	printSteps(stdout, judged)
	printDecisions(stdout, judged)
	local.PrintWarnings(stdout, sweep.Plan.Warnings, sweep.Plan.Findings...)
	if err := o.Legend.Table(stdout, report.Leaderboard(board)); err != nil {
		return err
	}
	if board.Counts.All > len(board.Candidates) {
		fmt.Fprintln(stdout, "--top 0 lists all candidates.")
	}
	local.PrintStepTimes(stdout, sweep.Plan.StepTimes)
	local.PrintApproximations(stdout, sweep.Plan.Approximations)
	local.PrintGates(stdout, judged)
	if judged != nil && len(board.Candidates) > 0 {
		if note := report.SeedsOfGates(judged.Results, &board.Candidates[0]); note != "" {
			fmt.Fprintf(stdout, "%s.\n", note)
		}
	}
	return nil
}

// printSweepVerdict prints the verdict on a sweep in one sentence: what came of the gates, if
// there are any, and which candidate wins.
func printSweepVerdict(w io.Writer, v *study.Judged, board *result.Leaderboard) {
	line := v.View().Advice()
	if v == nil || v.Reason != verdict.BaselineIsBest && v.Steps == nil {
		line += "; " + report.LeaderboardVerdict(board)
	}
	fmt.Fprintf(w, "verdict: %s\n\n", line)
}

// printSteps lists the steps of a rollout.
func printSteps(w io.Writer, v *study.Judged) {
	if v == nil || v.Steps == nil {
		return
	}
	for _, s := range v.Steps {
		fmt.Fprintf(w, "step %3d %%: %s %s: %s\n", s.Percent, s.Verdict.Sign(), s.Verdict.Word(), s.Message)
	}
	fmt.Fprintln(w)
}

// printDecisions says how far what is judged differs from the baseline.
func printDecisions(w io.Writer, v *study.Judged) {
	if v == nil || v.Reason == verdict.ChangeNotExercised {
		return
	}
	if c := result.ChangeJudged(v.Results); c != nil {
		fmt.Fprintf(w, "decisions: %s\n\n", c)
	}
}
