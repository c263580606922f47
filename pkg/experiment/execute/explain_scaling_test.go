// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"errors"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
)

// scaled lets a schedule scale the pool of a run: one replica more after 10 s, and one less
// after 30 s.
func scaled(run *v1alpha1.SimulationRun) {
	s := &run.Spec.Scenario
	s.Horizon.Requests, s.Horizon.Duration = nil, "1m"
	one := int32(1)
	s.Scalers = []v1alpha1.Scaler{{
		Name: "clock", Pools: []string{s.Pools[0].Name}, MinReplicas: &one, MaxReplicas: s.Pools[0].Replicas + 1, Interval: "10s",
		Metrics: v1alpha1.ScalerMetrics{ScrapeInterval: "5s", Delay: "0s"},
		Policy:  "schedule", Parameters: parameters{"at": "0s=1,10s=2,30s=1"},
	}}
	s.Pools[0].Replicas = 1
	s.Pools[0].Startup = &v1alpha1.Startup{ModelLoad: "5s"}
}

func TestScalingStory(t *testing.T) {
	run := experimenttest.Run(t)
	scaled(run)
	c := experimenttest.MustCompileRun(t, run)
	story, err := execute.ExplainScaling(t.Context(), c.Plan, c.Traces, 1, true)
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	if err := story.Table(&table); err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, want := range []string{"10s", "1 → 2", "loading   1 serve", "15s", "serving   2 serve", "30s", "2 → 1", "draining  1 serve"} {
		next := strings.Index(table.String()[at:], want)
		if next < 0 {
			t.Fatalf("no %q after the first %d bytes of\n%s", want, at, table.String())
		}
		at += next
	}
}

func TestAScalingStoryNeedsAScaler(t *testing.T) {
	c := experimenttest.MustCompileRun(t, experimenttest.Run(t))
	if _, err := execute.ExplainScaling(t.Context(), c.Plan, c.Traces, 1, false); !errors.Is(err, execute.ErrNoScaler) {
		t.Errorf("error %v instead of %v", err, execute.ErrNoScaler)
	}
}
