// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/report/benchmark"
	"windtunnel.dev/windtunnel/pkg/result"
)

// printBenchmarkReport prints the report of a run.
func (o *runOptions) printBenchmarkReport(w io.Writer, run compiledRun, conducted *execute.LocalRun, verdict *study.Verdict) error {
	own, err := ownFigures(cli.Identify(run.TypeMeta, run.ObjectMeta), run.Plan, verdict)
	if err != nil {
		return err
	}
	in := benchmark.Input{Name: run.Name, Rows: withPools(conducted, run.Plan), Requests: o.recorded.summary(), Series: conducted.Series, Own: own}
	for _, d := range conducted.Documents {
		in.WarmUpSeconds += d.WarmUpSeconds / float64(len(conducted.Documents))
	}
	for _, s := range o.settings {
		in.Parameters = append(in.Parameters, result.Assignment{Name: s.Path, Value: s.Value})
	}
	text, err := benchmarkReport(run.Plan, conducted.Points()[0], in)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}
