// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"testing"

	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
)

func TestTheTraceLevelSelectsTheDecisionsToKeep(t *testing.T) {
	for name, tc := range map[string]struct {
		trace v1alpha1.RunTrace
		want  int
	}{
		"not by default":  {v1alpha1.RunTrace{Level: v1alpha1.MinimalTrace}, 0},
		"all of forty":    {v1alpha1.RunTrace{Level: v1alpha1.DecisionsTrace}, 40},
		"as many as said": {v1alpha1.RunTrace{Level: v1alpha1.DecisionsTrace, Decisions: ptr.To[int32](3)}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			run := experimenttest.Run(t)
			run.Spec.Trace = tc.trace
			c := experimenttest.MustCompileRun(t, run)
			kept, err := execute.Simulate(t.Context(), c.Plan, c.Traces, experimenttest.FirstRound(t, c.Plan), experimenttest.AllSimulations(t, c.Plan).Indices(), execute.Options{Parallelism: 2, KeepDecisions: true})
			if err != nil {
				t.Fatal(err)
			}
			plain := experimenttest.MustSimulate(t, c, experimenttest.AllSimulations(t, c.Plan))
			if experimenttest.EncodeRows(t, kept) != experimenttest.EncodeRows(t, plain) {
				t.Error("keeping decisions changes results")
			}
			for i, s := range kept {
				if plain[i].Decisions != nil || (s.Decisions == nil) != (tc.want == 0) {
					t.Fatalf("%d bytes kept, %d unasked", len(s.Decisions), len(plain[i].Decisions))
				}
				if tc.want > 0 {
					if lines := experimenttest.DecisionLines(t, s.Decisions); len(lines) != tc.want || lines[0].Seed != s.Row.Seed {
						t.Errorf("%d lines, the first is %+v", len(lines), lines[0])
					}
				}
			}
		})
	}
}

// At level Full the other records of the requests that are kept, and those of scalers, are kept too; steps
// of engines are not. A sample is of other requests than the first.
func TestKeptTracesAtLevelFull(t *testing.T) {
	kept := func(trace v1alpha1.RunTrace) (kinds map[string]int, requests map[int64]bool) {
		run := experimenttest.Run(t)
		scaled(run)
		run.Spec.Scenario.Router.Priority = &v1alpha1.GatewayPolicy{Policy: "constant", Parameters: parameters{"value": "1"}}
		run.Spec.Trace = trace
		c := experimenttest.MustCompileRun(t, run)
		o := execute.Options{Parallelism: 1, KeepDecisions: true}
		all, err := execute.Simulate(t.Context(), c.Plan, c.Traces, experimenttest.FirstRound(t, c.Plan), []int{0}, o)
		if err != nil {
			t.Fatal(err)
		}
		kinds, requests = map[string]int{}, map[int64]bool{}
		for _, line := range experimenttest.DecisionLines(t, all[0].Decisions) {
			kinds[line.Record]++
			if line.Record == "priority" {
				requests[line.Request] = true
			}
		}
		return kinds, requests
	}
	kinds, requests := kept(v1alpha1.RunTrace{Level: v1alpha1.FullTrace, Decisions: ptr.To[int32](5)})
	if kinds["routing"] != 5 || kinds["priority"] != 5 || kinds["scaling"] < 5 || kinds["replica"] == 0 || kinds["batch"] != 0 || !requests[4] {
		t.Errorf("of the first: %v, of requests %v", kinds, requests)
	}
	kinds, requests = kept(v1alpha1.RunTrace{Level: v1alpha1.FullTrace, Decisions: ptr.To[int32](5), Sample: "0.2"})
	if kinds["routing"] != 5 || kinds["priority"] != 5 || requests[0] && requests[1] && requests[2] && requests[3] {
		t.Errorf("of a sample: %v, of requests %v", kinds, requests)
	}
}
