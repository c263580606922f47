// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// measured are the figures of a run, by seed.
type measured struct {
	documents []*result.Document
}

// asked are the metrics that simulations measure only where something asks.
var asked = []string{"maxReplica.ttft.p99", "backlogGrowth"}

// measure runs a sample with edits under some seeds.
func measure(ctx context.Context, sample *v1alpha1.SimulationRun, seeds []int64, edits ...edit) (*measured, error) {
	run := sample.DeepCopy()
	all(edits...)(&run.Spec.Scenario)
	run.Spec.Replications = v1alpha1.Replications{Seeds: seeds}
	for i, metric := range asked {
		run.Spec.Gates = append(run.Spec.Gates, v1alpha1.RunGate{
			Name: fmt.Sprintf("asked-%d", i), Metric: metric, Operator: v1alpha1.AtLeast, Value: "0", Confidence: "0.95",
		})
	}
	compiled, errs, err := compile.Run(ctx, run, nil)
	if err != nil || len(errs) > 0 {
		return nil, fmt.Errorf("%s: %w", run.Name, errors.Join(err, errs.ToAggregate()))
	}
	done, err := execute.RunLocally(ctx, compiled.Plan, compiled.Traces, execute.Options{Parallelism: runtime.GOMAXPROCS(0)})
	if err != nil {
		return nil, err
	}
	return &measured{done.Documents}, nil
}

// values are those of a metric, by seed; fewer where some seeds have none.
func (m *measured) values(metric string) []float64 {
	var all []float64
	for _, d := range m.documents {
		if v, ok := d.Value(result.MustParseMetric(metric)); ok {
			all = append(all, v)
		}
	}
	return all
}

// mean is that of a metric over the seeds.
func (m *measured) mean(metric string) float64 {
	return stats.MeanInterval(m.values(metric), confidence).Mean
}

// confidence is that of intervals.
const confidence = 0.95

// lastRatios are the ratios of the last n epochs under each seed.
func (m *measured) lastRatios(n int) [][]float64 {
	var all [][]float64
	for _, d := range m.documents {
		ratios := m.ratios(d)
		all = append(all, ratios[max(len(ratios)-n, 0):])
	}
	return all
}

func (m *measured) ratios(d *result.Document) []float64 {
	var ratios []float64
	for _, a := range d.Adaptive {
		for i := range a.Epochs {
			ratios = append(ratios, a.Epochs[i].Prefix/a.Epochs[i].Load)
		}
	}
	return ratios
}
