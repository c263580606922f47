// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/report/benchmark"
	"windtunnel.dev/windtunnel/pkg/result"
)

// checkBenchmarkReports says, before anything is simulated, of which sweeps there are no
// reports.
func (o *sweepOptions) checkBenchmarkReports(sweeps []local.Sweep) error {
	if o.benchmarkReport == "" {
		return nil
	}
	named := map[string]bool{}
	for _, sweep := range sweeps {
		switch {
		case named[sweep.Name]:
			return cli.BadInput(fmt.Errorf("--benchmark-report: two PolicySweeps have the name %s, and so have their files: write them to two folders", sweep.Name))
		case len(sweep.Plan.Workloads) > 0:
			return cli.BadInput(fmt.Errorf("--benchmark-report: a report has one load, and %s has %d workloads: write a sweep for each", sweep.Label(), len(sweep.Plan.Workloads)))
		}
		named[sweep.Name] = true
	}
	return nil
}

// writeBenchmarkReports writes a report of each candidate that the table lists and that has
// results under all seeds. A sweep keeps no requests: they are simulated again.
func (o *sweepOptions) writeBenchmarkReports(ctx context.Context, sweep local.Sweep, conducted *execute.LocalRun, verdict *study.Judged) error {
	board, err := conducted.Top(o.top)
	if err != nil {
		return err
	}
	own, err := local.OwnFigures(cli.Identify(sweep.TypeMeta, sweep.ObjectMeta), sweep.Plan, verdict)
	if err != nil {
		return err
	}
	rows := map[int][]result.Row{}
	for _, row := range conducted.Rows() {
		again := func(r result.Row) bool { return r.Seed == row.Seed }
		if row.Share == 1 && !row.Failed() && !slices.ContainsFunc(rows[row.Point], again) {
			rows[row.Point] = append(rows[row.Point], row)
		}
	}
	var files []cli.FileContent
	for i := range board.Candidates {
		c := &board.Candidates[i]
		if !c.Complete() {
			continue
		}
		in := benchmark.Input{
			Name: sweep.Name, Point: c.Point, Parameters: c.Parameters,
			Own: map[string]any{"rank": c.Rank, "standing": string(c.Standing), "pareto": c.Pareto, "baseline": c.Baseline},
		}
		for key, value := range own { // in any order
			in.Own[key] = value
		}
		text, err := o.candidateReport(ctx, sweep, conducted.Points()[c.Point], rows[c.Point], in)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("benchmark_report_v0.2_%s-point-%d.yaml", sweep.Name, c.Point)
		files = append(files, cli.FileContent{Name: filepath.Join(o.benchmarkReport, name), Content: string(text)})
	}
	if err := os.MkdirAll(o.benchmarkReport, 0o755); err != nil {
		return cli.BadInput(err)
	}
	return cli.BadInput(cli.WriteTogether(files))
}

// candidateReport simulates a candidate again under the seeds of its rows.
func (o *sweepOptions) candidateReport(ctx context.Context, sweep local.Sweep, point experiment.Point, rows []result.Row, in benchmark.Input) ([]byte, error) {
	trial := experiment.Trial{Point: point, Share: 1}
	for i := range rows {
		trial.Seeds = append(trial.Seeds, rows[i].Seed)
	}
	round := sweep.Plan.NewRound(0, []experiment.Trial{trial})
	var recorded local.Recorders
	_ = recorded.Grow(round.Simulations())
	simulations, err := execute.Simulate(ctx, sweep.Plan, sweep.Traces, round, round.All().Indices(), execute.Options{
		Parallelism: o.Parallelism, CheckInvariants: o.Check, Requests: recorded.Open, Fence: o.Fence(),
	})
	if errors.Is(err, execute.ErrWatched) {
		return nil, local.ToTrust(err)
	}
	if err != nil {
		return nil, err
	}
	for i := range simulations {
		in.Rows = append(in.Rows, simulations[i].Row)
	}
	in.Requests = recorded.Summary()
	return local.BenchmarkReport(sweep.Plan, point, in)
}
