// SPDX-License-Identifier: Apache-2.0

package local

import (
	"fmt"
	"slices"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/report/benchmark"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/setup"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// Recorders record the requests of simulations for a benchmark report, in their order.
type Recorders []*benchmark.Recorder

// Grow makes room for more simulations.
func (r *Recorders) Grow(simulations int) error {
	for range simulations {
		*r = append(*r, &benchmark.Recorder{})
	}
	return nil
}

// Open returns the recorder of a simulation.
func (r *Recorders) Open(simulation int, _ experiment.Point, _ int64) (execute.RequestSink, error) {
	return (*r)[simulation], nil
}

// Summary sums up all simulations.
func (r *Recorders) Summary() *benchmark.Summary {
	sum := &benchmark.Summary{}
	for _, recorder := range *r {
		sum.Merge(&recorder.Summary)
	}
	return sum
}

// BenchmarkReport returns the report of one point of a plan. The rows are in the order of
// the recorders.
func BenchmarkReport(p *experiment.Plan, point experiment.Point, in benchmark.Input) ([]byte, error) {
	tree, err := p.ScenarioAt(point, 1)
	if err != nil {
		return nil, err
	}
	in.Tree, in.Experiment = tree, p.Hash()
	if in.Scenario, err = setup.DecodeScenario(tree); err != nil {
		return nil, err
	}
	r, err := benchmark.New(in)
	if err != nil {
		return nil, err
	}
	return r.Encode()
}

// OwnFigures are what reports say of the whole object below results.profiling.windtunnel.
func OwnFigures(of cli.Identity, p *experiment.Plan, judged *study.Judged) (map[string]any, error) {
	own := struct {
		Object         cli.Identity           `json:"object"`
		Plan           string                 `json:"plan_sha256"`
		Inputs         []v1alpha1.InputDigest `json:"inputs,omitempty"`
		Verdict        verdict.Outcome        `json:"verdict,omitempty"`
		Message        string                 `json:"verdict_message,omitempty"`
		Gates          []result.GateResult    `json:"gates,omitempty"`
		Warnings       []string               `json:"warnings,omitempty"`
		Findings       []experiment.Finding   `json:"findings,omitempty"`
		Approximations []string               `json:"approximations,omitempty"`
		StepTimes      []string               `json:"step_times,omitempty"`
	}{
		Object: of, Plan: p.Hash(), Inputs: p.Inputs, Warnings: p.Warnings,
		Findings: p.Findings, Approximations: p.Approximations, StepTimes: p.StepTimes,
	}
	if judged != nil {
		own.Verdict, own.Message, own.Gates = judged.Outcome, judged.Message, judged.Results
	}
	return experiment.ToTree(own)
}

// WithPools are the rows of a run, one a document, with what a report says of each pool.
func WithPools(conducted *execute.LocalRun, p *experiment.Plan) []result.Row {
	var metrics []result.Metric
	if criteria, errs := p.Criteria(nil); len(errs) == 0 {
		metrics = criteria.Metrics()
	}
	var rows []result.Row
	for _, d := range conducted.Documents {
		of := metrics
		for i := range d.Pools {
			for _, name := range []string{"kvUsage.mean", "kvUsage.peak", "cacheHit.gpu", "preemptions"} {
				of = append(slices.Clip(of), result.MustParseMetric(fmt.Sprintf("%s{pool=%s}", name, d.Pools[i].Pool)))
			}
		}
		rows = append(rows, result.NewRow(d, 0, of))
	}
	return rows
}
