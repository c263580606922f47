// SPDX-License-Identifier: Apache-2.0

package study_test

import (
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
)

func TestMaxFailedTrialsLimitsFailedPoints(t *testing.T) {
	sweep := func(may int32) *v1alpha1.PolicySweep {
		s := experimenttest.Sweep(t)
		s.Spec.Parameters = s.Spec.Parameters[1:]
		s.Spec.Parameters[0].Values = nil
		s.Spec.Parameters[0].Range = &v1alpha1.Range{Min: "0", Max: "1", Step: "0.5"} // of whole numbers
		s.Spec.Baseline = nil
		s.Spec.Search.MaxFailedTrials = may
		return s
	}
	_, errs, err := compile.Sweep(t.Context(), sweep(0), experimenttest.TraceInputs(t))
	if err != nil || len(errs) != 1 || !strings.HasPrefix(errs[0].Field, "spec.parameters") {
		t.Errorf("where none may fail: %v, %v", errs, err)
	}
	conducted := experimenttest.MustRunLocally(t, experimenttest.MustCompileSweep(t, sweep(1)), execute.Options{})
	if conducted.Failed() != 1 {
		t.Errorf("%d points failed, want 1", conducted.Failed())
	}
	for _, row := range conducted.Rows() {
		if (row.Error != "") != (row.Metrics.Len() == 0) {
			t.Errorf("row of point %d has %d metrics and says %q", row.Point, row.Metrics.Len(), row.Error)
		}
	}
}

func TestARunAddsSeedsUntilItIsPrecise(t *testing.T) {
	run := experimenttest.Run(t)
	count, most := int32(2), int32(40)
	run.Spec.Replications = v1alpha1.Replications{Count: &count, Precision: "4%", MaxCount: &most, Metric: "e2e.mean"}
	c := experimenttest.MustCompileRun(t, run)
	conducted := experimenttest.MustRunLocally(t, c, execute.Options{})
	board, err := conducted.Leaderboard()
	if err != nil {
		t.Fatal(err)
	}
	interval := board.Candidates[0].Metrics["e2e.mean"]
	if half := (interval.High - interval.Low) / 2; half > 0.04*interval.Mean && interval.N < 40 || interval.N <= 2 {
		t.Errorf("e2e.mean is %.4g ± %.2g over %d seeds", interval.Mean, half, interval.N)
	}
	if len(conducted.Documents) != interval.N {
		t.Errorf("%d documents of %d seeds", len(conducted.Documents), interval.N)
	}
}
