// SPDX-License-Identifier: Apache-2.0

package study_test

import (
	"strconv"
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/result"
)

func TestACapacityIsTheHighestLoadThatMeetsTheConstraints(t *testing.T) {
	sweep := experimenttest.Sweep(t)
	sweep.Spec.Parameters = []v1alpha1.Parameter{
		{Name: "replicas", Path: "pools[llama].replicas", Values: []string{"1", "3"}},
		{Name: "scale", Path: "workload.trace.rateScale", Range: &v1alpha1.Range{Min: "0.01", Max: "100", Scale: v1alpha1.LogScale}},
	}
	sweep.Spec.Baseline = nil
	sweep.Spec.Search = v1alpha1.Search{Algorithm: v1alpha1.CapacitySearch, MaxTrials: 200, Seed: 1,
		Capacity: &v1alpha1.Capacity{Load: "scale", Precision: "10%", Confidence: "0.9"}}
	sweep.Spec.Constraints = []v1alpha1.Constraint{{Metric: "e2e.mean", Operator: v1alpha1.AtMost, Value: "5s"}}
	conducted := experimenttest.MustRunLocally(t, experimenttest.MustCompileSweep(t, sweep), execute.Options{})
	board, err := conducted.Leaderboard()
	if err != nil {
		t.Fatal(err)
	}
	if len(board.Candidates) != 2 {
		t.Fatalf("%d candidates, want one for each number of replicas", len(board.Candidates))
	}
	for i, want := range []string{"3", "1"} {
		c := board.Candidates[i]
		if c.Parameters[0].Value != want || c.Capacity == nil || c.Capacity.Holds == "" {
			t.Errorf("place %d is %v with %+v, want %s replicas", i+1, c.Parameters, c.Capacity, want)
			continue
		}
		last := 0.0
		for _, tried := range c.Capacity.Tried {
			load, err := strconv.ParseFloat(tried.Load, 64)
			if err != nil || load <= last {
				t.Errorf("load %s comes after %v (%v)", tried.Load, last, err)
			}
			last = load
			if tried.Load == c.Capacity.Holds && (tried.Verdict != result.LoadMet || tried.Metrics["e2e.mean"] != c.Metrics["e2e.mean"]) {
				t.Errorf("at the load that holds: %+v", tried)
			}
		}
		if last == 0 {
			t.Error("nothing was tried")
		}
	}
}
