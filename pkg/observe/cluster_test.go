// SPDX-License-Identifier: Apache-2.0

package observe_test

import (
	"runtime"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/observe"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// monday is when clusters of tests are looked at.
var monday = time.Date(2026, 1, 5, 8, 0, 0, 0, time.UTC)

// stageOf is so many hours of the cluster of the tests, of three minutes each.
func stageOf(hours int) *observe.Stage {
	return &observe.Stage{
		Window: observe.Window{From: monday, Every: 3 * time.Minute, Interval: 5 * time.Second, Hours: hours},
		WarmUp: 20 * time.Second,
	}
}

// scenario makes the cluster of testdata, with other values of some fields.
func scenario(t testing.TB, settings ...compile.Setting) observe.Maker {
	t.Helper()
	set := experimenttest.ReadSet(t, testfile.Read(t, "testdata/cluster.yaml"))
	c, errs, err := compile.Run(t.Context(), set.Runs[0], experimenttest.Inputs{}, settings...)
	if err != nil || len(errs) > 0 {
		t.Fatal(errs, err)
	}
	return func(seed int64) (simulator.Config, error) {
		return execute.Config(c.Plan, c.Traces, experiment.Case{Trial: &experiment.Trial{Share: 1}, Seed: seed})
	}
}

// seeds are n of them.
func seeds(first int64, n int) []int64 {
	all := make([]int64, n)
	for i := range all {
		all[i] = first + int64(i)
	}
	return all
}

func options(n int) *observe.Options {
	return &observe.Options{Seeds: seeds(42, n), CauseSeeds: 5, Parallelism: runtime.GOMAXPROCS(0)}
}

// predict plays a scenario under seeds.
func predict(t testing.TB, stage *observe.Stage, make observe.Maker, seeds []int64) observe.Prediction {
	t.Helper()
	p, err := observe.Predict(t.Context(), stage, make, seeds, observe.AsStated(), observe.Measures(), options(0))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// rules are those of the command.
var rules = observe.Rules{Confidence: 0.95, FalseAlarms: 0.01, Tolerance: 0.02}

// slowTimer makes each step a fifth longer.
type slowTimer struct{ latency.StepTimer }

// StepTime implements [latency.StepTimer].
func (t slowTimer) StepTime(s latency.Step) time.Duration { return t.StepTimer.StepTime(s) * 6 / 5 }
