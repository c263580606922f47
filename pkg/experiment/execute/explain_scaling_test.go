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

func TestDecisionsThatShareALine(t *testing.T) {
	decided := func(at float64, wanted int, reason string, values ...execute.NamedValue) *execute.ScalingEvent {
		pools := []execute.ScaledCount{{Pool: "llama", Was: 2, Stated: wanted, Wanted: wanted}}
		return &execute.ScalingEvent{AtSeconds: at, Decision: &execute.ScalerCall{Scaler: "llama", Pools: pools, Reason: reason, Values: values}}
	}
	const sync, poll = "stays at 2: queue is 3 for each replica", "KEDA: a trigger is active; "
	both := []execute.NamedValue{{Name: "queue", Value: 3}, {Name: "queue wants", Value: 2}, {Name: "office", Value: 1}, {Name: "office wants", Value: 1}}
	for name, test := range map[string]struct {
		events []*execute.ScalingEvent
		want   []string
	}{
		"the same reason with other numbers": {
			[]*execute.ScalingEvent{decided(15, 2, sync), decided(30, 2, "stays at 2: queue is 4 for each replica")},
			[]string{"15s to 30s", sync + " (2 times)"},
		},
		"a part of the reason at some of the times": {
			[]*execute.ScalingEvent{decided(15, 2, sync), decided(30, 2, poll+sync), decided(45, 2, sync)},
			[]string{"15s to 45s", poll + sync + " (3 times)"},
		},
		"another part of the reason": {
			[]*execute.ScalingEvent{decided(15, 2, poll+sync), decided(30, 2, sync), decided(45, 2, "KEDA: no trigger is active; "+sync)},
			[]string{"15s to 30s", poll + sync + " (2 times)", "45s", "KEDA: no trigger is active; " + sync},
		},
		"values of which the reason does not speak": {
			[]*execute.ScalingEvent{decided(15, 3, "from 2 to 3: queue is 3 for each replica", both...)},
			[]string{"15s", "2 → 3", "from 2 to 3: queue is 3 for each replica; office 1 wants 1\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var table strings.Builder
			if err := (&execute.ScalingStory{Events: test.events}).Table(&table); err != nil {
				t.Fatal(err)
			}
			rest := table.String()
			for _, want := range test.want {
				_, after, found := strings.Cut(rest, want)
				if !found {
					t.Fatalf("no %q in the rest of\n%s", want, table.String())
				}
				rest = after
			}
			if strings.TrimSpace(rest) != "" {
				t.Errorf("more than that: %q", rest)
			}
		})
	}
}
