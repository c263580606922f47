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
