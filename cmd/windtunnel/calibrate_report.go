// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/calibrate"
	"windtunnel.dev/windtunnel/pkg/report/benchmark"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// runReport names the Benchmark Report of a run, and says what it does not.
type runReport struct {
	File string `json:"file"`
	// Arrivals are Poisson where it is empty.
	Arrivals calibrate.Arrivals `json:"arrivals"`
}

const (
	// maxDrawn bounds the requests that are replayed; a report may be of millions.
	maxDrawn = 5000
	// maxLoadSeconds bounds how long they take to come, and maxPrefixes each number of which
	// a report has beginnings of prompts.
	maxLoadSeconds = 1e7
	maxPrefixes    = 1 << 15
)

// validateReport returns the faults of a run with a report.
func (f *runFile) validateReport() field.ErrorList {
	var errs field.ErrorList
	path := field.NewPath("report")
	if f.Report.File == "" {
		errs = append(errs, field.Required(path.Child("file"), "a Benchmark Report of llm-d-benchmark"))
	}
	if a := f.Report.Arrivals; a != "" && !slices.Contains(calibrate.AllArrivals(), a) {
		errs = append(errs, field.NotSupported(path.Child("arrivals"), a, calibrate.AllArrivals()))
	}
	if f.Requests.File != "" {
		errs = append(errs, field.Forbidden(path, "the run has a log of requests: name only one of requests.file and report.file"))
	}
	if f.Blocks != nil {
		errs = append(errs, field.Forbidden(field.NewPath("blocks"), "a report has no single requests whose blocks these could be"))
	}
	if f.FitRequests != 0 {
		errs = append(errs, field.Forbidden(field.NewPath("fitRequests"), "a report has no figures of its first requests alone"))
	}
	return errs
}

// reported is the run of a report, with warnings about what the replay leaves out.
func (f *runFile) reported(title, folder string, engine calibrate.Engine) (*calibrate.Run, []string, error) {
	name := resolvePath(folder, f.Report.File)
	at, err := os.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	if at.Size() > benchmark.MaxBytes {
		return nil, nil, fmt.Errorf("%s has %d bytes; a Benchmark Report has at most %d", name, at.Size(), benchmark.MaxBytes)
	}
	raw, err := readInputFile(name)
	if err != nil {
		return nil, nil, err
	}
	r, errs := benchmark.Read(raw)
	if len(errs) > 0 {
		return nil, nil, fmt.Errorf("%s is no Benchmark Report that this command reads:\n%s", name, bulletList(errs))
	}
	load, warnings, err := f.loadOf(r)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	figures, err := figuresOf(r)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	run := calibrate.NewReportedRun(title, engine, load, figures)
	return run, append(warnings, run.Warnings()...), nil
}

// loadOf is what one of the report's replicas served.
func (f *runFile) loadOf(r *benchmark.Report) (calibrate.Load, []string, error) {
	l := calibrate.Load{Arrivals: f.Report.Arrivals, BlockTokens: f.Engine.BlockSize}
	if l.Arrivals == "" {
		l.Arrivals = calibrate.PoissonArrivals
	}
	replicas, warnings, err := f.replicasOf(r)
	if err != nil {
		return l, nil, err
	}
	total, rate, err := trafficOf(r)
	if err != nil {
		return l, nil, err
	}
	l.Rate, l.Requests = rate/replicas, max(1, int(math.Round(float64(total)/replicas)))
	if l.Requests > maxDrawn {
		warnings = append(warnings, fmt.Sprintf("the report is of %d requests on each replica; the first %d are replayed", l.Requests, maxDrawn))
		l.Requests = maxDrawn
	}
	if float64(l.Requests)/l.Rate > maxLoadSeconds {
		return l, nil, fmt.Errorf("scenario.load.standardized.rate_qps: at %g requests per second on each replica, the load takes longer than %d seconds", l.Rate, int(maxLoadSeconds))
	}
	input, errIn := r.InputLengths()
	output, errOut := r.OutputLengths()
	if errIn != nil {
		return l, nil, fmt.Errorf("results.request_performance.aggregate.requests.input_length: %w", errIn)
	}
	if errOut != nil {
		return l, nil, fmt.Errorf("results.request_performance.aggregate.requests.output_length: %w", errOut)
	}
	l.Input, l.Output = input.At, output.At
	return l, append(warnings, f.prefixesOf(r, &l)...), nil
}

// trafficOf is the number of requests and their rate.
func trafficOf(r *benchmark.Report) (total int64, rate float64, err error) {
	p := r.Results.RequestPerformance
	if p == nil || p.Aggregate == nil || p.Aggregate.Requests == nil || p.Aggregate.Requests.Total == 0 {
		return 0, 0, errors.New("results.request_performance.aggregate.requests: the report counts no requests")
	}
	if r.Scenario == nil || r.Scenario.Load == nil || r.Scenario.Load.Standardized.RateQPS == nil {
		return 0, 0, errors.New("scenario.load.standardized.rate_qps: the report states no rate, without which no arrivals can be drawn; calibrate with a log of requests")
	}
	return p.Aggregate.Requests.Total, *r.Scenario.Load.Standardized.RateQPS, nil
}

// replicasOf is how many replicas of one engine shared the load.
func (f *runFile) replicasOf(r *benchmark.Report) (float64, []string, error) {
	warnings := []string{"the report has no single requests: lengths and arrivals are drawn, each by itself"}
	engines := r.Engines()
	switch {
	case len(engines) == 0:
		return 1, append(warnings, "the report has no engine in scenario.stack: one replica is assumed"), nil
	case len(engines) > 1:
		return 0, nil, fmt.Errorf("scenario.stack: the report has %d engines, and calibrate replays on one: measure one alone", len(engines))
	}
	e := engines[0]
	if e.Role != "replica" {
		warnings = append(warnings, fmt.Sprintf("the only engine of the report has the role %s: it is taken for one that does prefill and decode", e.Role))
	}
	if tp := e.Accelerator.Parallelism.TP; tp != nil && *tp > 0 && *tp != int64(f.TensorParallelism) {
		warnings = append(warnings, fmt.Sprintf("the report has tensor parallelism %d, and the run %d", *tp, f.TensorParallelism))
	}
	if e.Model.Name != f.Model {
		warnings = append(warnings, fmt.Sprintf("the report is of the model %s, and the run of %s", e.Model.Name, f.Model))
	}
	if e.Replicas > 1 {
		warnings = append(warnings, fmt.Sprintf("the report has %d replicas: one of them is replayed with an equal part of the load", e.Replicas))
	}
	return float64(e.Replicas), warnings, nil
}

// prefixesOf has prompts share beginnings, and says what of the load is not replayed.
func (f *runFile) prefixesOf(r *benchmark.Report, l *calibrate.Load) []string {
	var warnings []string
	s := &r.Scenario.Load.Standardized
	if p := s.Prefix; p != nil && p.PrefixLen.Value > 0 {
		l.PrefixTokens = int(min(p.PrefixLen.Value, workload.MaxTokens))
		l.Prefixes = int(min(p.NumGroups, maxPrefixes) * min(p.NumPrefixes, maxPrefixes))
		warnings = append(warnings, fmt.Sprintf("prompts share one of %d beginnings of %d tokens, each as often as the others", l.Prefixes, l.PrefixTokens))
	}
	if s.MultiTurn != nil && s.MultiTurn.Enabled {
		warnings = append(warnings, "the report's requests are turns of conversations: they are replayed as single requests, which find less in the prefix cache")
	}
	if s.Concurrency != nil && !math.IsInf(*s.Concurrency, 1) {
		warnings = append(warnings, fmt.Sprintf("the report's load generator kept at most %.0f requests in flight: the replay has no such limit", *s.Concurrency))
	}
	return warnings
}

// figuresOf are the means and percentiles of the report; NaN where it has none.
func figuresOf(r *benchmark.Report) (calibrate.Figures, error) {
	metrics := r.Metrics()
	var figures calibrate.Figures
	some := false
	for m, metric := range [calibrate.Metrics]string{"ttft", "tpot", "e2e"} {
		for s := range calibrate.Statistics {
			value, has := metrics[metric+"."+s.String()]
			if !has || value == 0 {
				value = math.NaN()
			}
			figures[m][s] = value
		}
		some = some || !math.IsNaN(figures[m][calibrate.Mean])
	}
	if !some {
		return figures, errors.New("results.request_performance.aggregate.latency: the report has none of time_to_first_token, time_per_output_token and request_latency")
	}
	return figures, nil
}
