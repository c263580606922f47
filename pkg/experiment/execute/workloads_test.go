// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// workloadsSweep is a sweep of two numbers of replicas under two of three selections of clients.
func workloadsSweep(edits ...func(*v1alpha1.PolicySweep)) *v1alpha1.PolicySweep {
	sweep := builder.MakeSweep("workloads", "ns").
		Scenario(builder.Client("attacker", "20")).
		Values("replicas", "pools[llama].replicas", "2", "3").
		Objective("e2e.mean", v1alpha1.Minimize).Seeds(1, 2).Obj()
	people := sweep.Spec.Scenario.Workload.Clients[0].Name
	sweep.Spec.Workloads = []v1alpha1.SweepWorkload{
		{Name: "calm", Sources: []string{people}},
		{Name: "attacked", Sources: []string{people, "attacker"}},
	}
	for _, edit := range edits {
		edit(sweep)
	}
	return sweep
}

// Each row of a workload is that of a run with the workload's sources and no others, under
// the same key. Points are compared by the means over the workloads.
func TestASweepSimulatesEachPointUnderEachWorkload(t *testing.T) {
	sweep := workloadsSweep()
	study := experimenttest.MustRunLocally(t, experimenttest.MustCompileSweep(t, sweep), execute.Options{Parallelism: 2})
	rows := study.Rows()
	var got []string
	for _, r := range rows[:4] {
		got = append(got, r.Workload)
	}
	if diff := cmp.Diff([]string{"calm", "attacked", "calm", "attacked"}, got); len(rows) != 8 || diff != "" {
		t.Fatalf("%d rows; workloads of the first point's (-want +got):\n%s", len(rows), diff)
	}
	for i, edit := range []func(*v1alpha1.Scenario){
		func(s *v1alpha1.Scenario) { s.Workload.Clients = s.Workload.Clients[:1] },
		func(*v1alpha1.Scenario) {},
	} {
		run := builder.MakeRun("alone", "ns").Seeds(1).Obj()
		run.Spec.Scenario = *sweep.Spec.Scenario.DeepCopy()
		edit(&run.Spec.Scenario)
		alone := experimenttest.MustRunLocally(t, experimenttest.MustCompileRun(t, run), execute.Options{Parallelism: 1}).Rows()[0]
		if !alone.Metrics.Equal(rows[i].Metrics) {
			t.Errorf("under workload %s the metrics differ from those of a run with its sources", rows[i].Workload)
		}
	}

	board, err := study.Leaderboard()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range board.Candidates {
		sum := 0.0
		for _, workload := range board.Workloads {
			sum += c.Metrics["e2e.mean{workload="+workload+"}"].Mean
		}
		if diff := c.Metrics["e2e.mean"].Mean - sum/2; diff > 1e-12 || diff < -1e-12 || sum == 0 {
			t.Errorf("point %d: the mean over workloads is %v, and the workloads' add up to %v", c.Point, c.Metrics["e2e.mean"].Mean, sum)
		}
	}
}

// A workload more changes no row of the others, and the rows of a key are found again
// under any name.
func TestAWorkloadMoreChangesNoOther(t *testing.T) {
	two := experimenttest.MustRunLocally(t, experimenttest.MustCompileSweep(t, workloadsSweep()), execute.Options{Parallelism: 2}).Rows()
	three := experimenttest.MustRunLocally(t, experimenttest.MustCompileSweep(t, workloadsSweep(func(s *v1alpha1.PolicySweep) {
		s.Spec.Workloads = append(s.Spec.Workloads, v1alpha1.SweepWorkload{Name: "alone", Sources: []string{"attacker"}})
		s.Spec.Workloads[0].Name = "renamed"
	})), execute.Options{Parallelism: 2}).Rows()
	byKey := map[string]result.Row{}
	for _, r := range three {
		byKey[r.Key] = r
	}
	for _, r := range two {
		if same, ok := byKey[r.Key]; !ok || !same.Metrics.Equal(r.Metrics) {
			t.Errorf("point %d, seed %d, workload %s has another row or none", r.Point, r.Seed, r.Workload)
		}
	}
}

// A workload that lacks a tenant has the key of a run without the tenant.
func TestAWorkloadWithoutATenantIsARunWithoutIt(t *testing.T) {
	sweep := workloadsSweep(func(s *v1alpha1.PolicySweep) {
		w := &s.Spec.Scenario.Workload
		w.Clients[1].Tenant = "gold"
		w.Tenants = []v1alpha1.Tenant{{Name: "gold", Class: "vip", SLO: &v1alpha1.LatencyTargets{TTFT: "1s"}}}
	})
	rows := experimenttest.MustRunLocally(t, experimenttest.MustCompileSweep(t, sweep), execute.Options{Parallelism: 2}).Rows()
	run := builder.MakeRun("alone", "ns").Seeds(1).Obj()
	run.Spec.Scenario = *sweep.Spec.Scenario.DeepCopy()
	w := &run.Spec.Scenario.Workload
	w.Tenants, w.Clients = nil, w.Clients[:1]
	alone := experimenttest.MustRunLocally(t, experimenttest.MustCompileRun(t, run), execute.Options{Parallelism: 1}).Rows()[0]
	if rows[0].Workload != "calm" || rows[0].Key != alone.Key || !rows[0].Metrics.Equal(alone.Metrics) {
		t.Errorf("the row of workload %q with key %s is not that of the run, %s", rows[0].Workload, rows[0].Key, alone.Key)
	}
}

// A sweep of workloads alone has the scenario as its only point. A pod finds the same round
// in the encoded plan.
func TestASweepOfWorkloadsAlone(t *testing.T) {
	sweep := workloadsSweep(func(s *v1alpha1.PolicySweep) {
		s.Spec.Parameters = nil
		s.Spec.Gates = []v1alpha1.Gate{
			{Name: "calm", Metric: "completionRate{workload=calm}", Operator: v1alpha1.AtLeast, Value: "0.9", Confidence: "0.95"},
			{Name: "attacked", Metric: "e2e.mean{workload=attacked}", Operator: v1alpha1.AtMost, Value: "1ms", Confidence: "0.95"},
		}
	})
	c := experimenttest.MustCompileSweep(t, sweep)
	local := experimenttest.MustRunLocally(t, c, execute.Options{})
	varied := experimenttest.MustRunLocally(t, experimenttest.MustCompileSweep(t, workloadsSweep()), execute.Options{}).Rows()
	rows := local.Rows()
	if len(rows) != 4 {
		t.Fatalf("%d rows, want one for each seed and workload", len(rows))
	}
	for i, r := range rows { // the base has two replicas, as the first point of the other sweep
		if r.Key != varied[i].Key || !r.Metrics.Equal(varied[i].Metrics) {
			t.Errorf("seed %d, workload %s: the row is not that of a point with the scenario's own values", r.Seed, r.Workload)
		}
	}
	board, err := local.Leaderboard()
	if err != nil || len(board.Candidates) != 1 || len(board.Workloads) != 2 {
		t.Errorf("the leaderboard is %+v, %v", board, err)
	}
	judged, err := local.Verdict()
	if err != nil || judged.Gates[0].Outcome != verdict.Pass || judged.Gates[1].Outcome != verdict.Fail {
		t.Errorf("the verdict is %+v, %v", judged, err)
	}
	status := v1alpha1.PolicySweepStatus{}
	if err := study.FillSweep(&status, local.Study); err != nil || status.Best == nil || status.Best.Summary != "the scenario" {
		t.Errorf("the best point of the status is %+v, %v", status.Best, err)
	}

	plan, err := experiment.DecodePlan(c.Plan.Encode())
	if err != nil {
		t.Fatal(err)
	}
	round, which, err := study.Resume(plan, experiment.Work{})
	if err != nil || len(which) != 4 {
		t.Fatalf("a pod has %d simulations to run, %v", len(which), err)
	}
	again, err := execute.Simulate(t.Context(), plan, nil, round, which, execute.Options{Parallelism: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range again {
		if again[i].Row.Key != rows[i].Key || again[i].Document != nil {
			t.Errorf("simulation %d of a pod has the key %s, want %s", i, again[i].Row.Key, rows[i].Key)
		}
	}
	if estimate := study.Estimate(c.Plan, local.Study); estimate.Points != 1 {
		t.Errorf("%d points are estimated", estimate.Points)
	}
}
