// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"math"
	"testing"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/result"
)

// lastEnd is when the last measured request completed.
type lastEnd float64

func (e *lastEnd) Write(row *result.RequestRow) error {
	if row.Measured && row.E2ESeconds != nil {
		*e = max(*e, lastEnd(row.ArrivalSeconds+*row.E2ESeconds))
	}
	return nil
}

func (e *lastEnd) Close() error { return nil }

// TestThroughputIsOverTheDrainToo: the measured time of the sample of a closed loop ends with
// its last measured request, 1 to 2 % after the arrivals. Users ÷ throughput is as much above
// the mean latency.
func TestThroughputIsOverTheDrainToo(t *testing.T) {
	c := experimenttest.MustCompileRun(t, readSample(t, "simulationrun-closed-loop.yaml").Runs[0])
	const users, warmUp, arrivals = 128, 60., 300.
	var last [2]lastEnd
	simulations, err := execute.Simulate(t.Context(), c.Plan, c.Traces, experimenttest.FirstRound(t, c.Plan), []int{0, 1}, execute.Options{
		Parallelism: 2,
		Requests: func(i int, _ experiment.Point, _ int64) (execute.RequestSink, error) {
			return &last[i], nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range simulations {
		d := s.Document
		if want := float64(last[i]) - warmUp; math.Abs(d.MeasuredSeconds-want) > 1e-6 || want < 1.01*arrivals || want > 1.02*arrivals {
			t.Errorf("seed %d: the measured time is %v s, and the last request ends after %v s", d.Seed, d.MeasuredSeconds, want)
		}
		for j := range d.Tenants {
			g := &d.Tenants[j]
			if completed := float64(g.Requests.Completed); math.Abs(g.Throughput.Requests*d.MeasuredSeconds-completed) > 1e-6*completed {
				t.Errorf("seed %d: tenant %s has a throughput of %v, and %v requests", d.Seed, g.Tenant, g.Throughput.Requests, completed)
			}
			if ratio := users / g.Throughput.Requests / g.E2E.Mean; g.Tenant == "benchmark" && (ratio < 1.01 || ratio > 1.02) {
				t.Errorf("seed %d: users ÷ throughput is %.4f times the mean latency", d.Seed, ratio)
			}
		}
	}
}
