// SPDX-License-Identifier: Apache-2.0

package run

import (
	"io"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/report/benchmark"
	"windtunnel.dev/windtunnel/pkg/result"
)

// printBenchmarkReport prints the report of a run.
func (o *runOptions) printBenchmarkReport(w io.Writer, run local.Run, conducted *execute.LocalRun, verdict *study.Judged) error {
	own, err := local.OwnFigures(cli.Identify(run.TypeMeta, run.ObjectMeta), run.Plan, verdict)
	if err != nil {
		return err
	}
	in := benchmark.Input{Name: run.Name, Rows: local.WithPools(conducted, run.Plan), Requests: o.recorded.Summary(), Series: conducted.Series, Own: own}
	for _, d := range conducted.Documents {
		in.WarmUpSeconds += d.WarmUpSeconds / float64(len(conducted.Documents))
	}
	for _, s := range o.Settings {
		in.Parameters = append(in.Parameters, result.Assignment{Name: s.Path, Value: s.Value})
	}
	text, err := local.BenchmarkReport(run.Plan, conducted.Points()[0], in)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}
