// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/result"
)

// stagedRun simulates a number of requests, which arrive at the rates of stages.
func stagedRun(t *testing.T, requests int64, stages ...v1alpha1.RateStage) *v1alpha1.SimulationRun {
	t.Helper()
	run := experimenttest.Run(t)
	run.Spec.Scenario.Horizon.Requests = &requests
	run.Spec.Scenario.Workload.Clients[0].Arrivals.Rate = ""
	run.Spec.Scenario.Workload.Clients[0].Arrivals.Stages = stages
	run.Spec.Replications = v1alpha1.Replications{Seed: ptr.To(int64(42)), Count: ptr.To(int32(1))}
	return run
}

func simulateRun(t *testing.T, run *v1alpha1.SimulationRun) experiment.Simulation {
	t.Helper()
	c := experimenttest.MustCompileRun(t, run)
	return experimenttest.MustSimulate(t, c, experimenttest.AllSimulations(t, c.Plan))[0]
}

// A burst at the start is left out, and the rest is measured as if that warm-up
// had been given.
func TestADetectedWarmUpGivesTheSameResultAsAGivenOne(t *testing.T) {
	run := stagedRun(t, 1500, v1alpha1.RateStage{Rate: "60", Duration: "5s"}, v1alpha1.RateStage{Rate: "12", Duration: "1h"})
	whole := simulateRun(t, run).Document
	run.Spec.Scenario.Horizon.WarmupRule = v1alpha1.MSERWarmup
	found := simulateRun(t, run)
	w := found.Document.Overall.WarmUp
	if w == nil || !w.Steady || w.Rule != "MSER" {
		t.Fatalf("warm-up %+v, want a steady state", w)
	}
	if s := found.Document.WarmUpSeconds; s < 4 || s > 60 {
		t.Errorf("warm-up of %v s, want that of the burst and what came of it", s)
	}
	if left := whole.Overall.Requests.Arrived - found.Document.Overall.Requests.Arrived; w.Requests != left || left == 0 {
		t.Errorf("%d requests are said to be left out, and %d are", w.Requests, left)
	}
	if whole.Overall.TTFT.Mean <= found.Document.Overall.TTFT.Mean {
		t.Errorf("mean TTFT %v with and %v without the burst", whole.Overall.TTFT.Mean, found.Document.Overall.TTFT.Mean)
	}
	if got, _ := found.Row.Metrics.Get("warmup.requests"); got != float64(w.Requests) {
		t.Errorf("warmup.requests is %v in the row", got)
	}

	run.Spec.Scenario.Horizon.WarmupRule = ""
	run.Spec.Scenario.Horizon.Warmup = v1alpha1.Duration(time.Duration(found.Document.WarmUpSeconds * 1e9).String())
	given := simulateRun(t, run).Document
	if diff := cmp.Diff(given, found.Document, cmpopts.IgnoreFields(result.Document{}, "Key"), cmpopts.IgnoreFields(result.Group{}, "WarmUp"), cmp.AllowUnexported(result.Document{})); diff != "" {
		t.Errorf("document (−given +found):\n%s", diff)
	}
	if given.Key == found.Document.Key || given.Key == whole.Key {
		t.Error("simulations with different warm-ups have the same key")
	}
}

// A backlog that grows to the end has no steady state, and nothing is left out.
func TestWithoutASteadyStateNoRequestIsLeftOut(t *testing.T) {
	run := stagedRun(t, 600, v1alpha1.RateStage{Rate: "400", Duration: "1h"})
	run.Spec.Scenario.Pools[0].Engine.MaxNumSeqs = 4
	whole := simulateRun(t, run)
	run.Spec.Scenario.Horizon.WarmupRule = v1alpha1.MSERWarmup
	found := simulateRun(t, run)
	if diff := cmp.Diff(&result.WarmUp{Rule: "MSER"}, found.Document.Overall.WarmUp); diff != "" {
		t.Errorf("warm-up (−want +got):\n%s", diff)
	}
	want := maps.Collect(whole.Row.Metrics.All())
	want["warmup.requests"], want["warmup.steady"] = 0, 0
	if diff := cmp.Diff(want, maps.Collect(found.Row.Metrics.All())); diff != "" {
		t.Errorf("metrics (−without the rule +with it):\n%s", diff)
	}
}

// Observers see only the measured run, though a rule runs the simulation twice.
func TestObserversSeeEachRequestOnce(t *testing.T) {
	run := experimenttest.Run(t)
	run.Spec.Scenario.Horizon.Requests = ptr.To(int64(100))
	run.Spec.Scenario.Horizon.WarmupRule = v1alpha1.MSERWarmup
	c := experimenttest.MustCompileRun(t, run)
	seen := map[int]int{}
	o := execute.Options{Parallelism: 1, CheckInvariants: true, Trace: execute.Decisions(func(_ int, d *execute.RoutingRecord) { seen[d.Request.ID]++ })}
	if _, err := execute.Simulate(t.Context(), c.Plan, c.Traces, experimenttest.FirstRound(t, c.Plan), []int{0}, o); err != nil {
		t.Fatal(err)
	}
	for request, times := range seen {
		if times != 1 {
			t.Errorf("request %d was seen %d times", request, times)
		}
	}
	if len(seen) != 100 {
		t.Errorf("%d requests were seen", len(seen))
	}
}
