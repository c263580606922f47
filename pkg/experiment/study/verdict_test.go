// SPDX-License-Identifier: Apache-2.0

package study_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

func gated(confirm int32, gates ...v1alpha1.Gate) func(*v1alpha1.PolicySweep) {
	return func(s *v1alpha1.PolicySweep) {
		s.Spec.Gates = gates
		s.Spec.Baseline = &v1alpha1.Baseline{Parameters: []v1alpha1.Assignment{{Name: s.Spec.Parameters[0].Name, Value: "1"}}}
		if confirm > 0 {
			s.Spec.Search.Confirm = &confirm
		}
	}
}

func TestGatesUseConfirmationSeedsIfAny(t *testing.T) {
	gates := []v1alpha1.Gate{
		{Name: "must-pass", Metric: "completionRate", Operator: v1alpha1.AtLeast, Value: "50%", Confidence: "0.95"},
		{Name: "must-fail", Metric: "e2e.mean", Operator: v1alpha1.AtMost, Value: "1us", Confidence: "0.95"},
		{Name: "open", Metric: "e2e.mean", Operator: v1alpha1.AtMost, Value: "450ms", Confidence: "0.9999"},
	}
	for _, confirm := range []int32{0, 3} {
		conducted := experimenttest.MustRunLocally(t, experimenttest.MustCompileSweep(t, experimenttest.SearchSweep(t, v1alpha1.RandomSearch, gated(confirm, gates...))), execute.Options{})
		v, err := conducted.Verdict()
		if err != nil {
			t.Fatal(err)
		}
		seeds := len(conducted.Plan.Seeds)
		if confirm > 0 {
			seeds = int(confirm)
		}
		var got []verdict.Outcome
		for _, g := range v.Results {
			got = append(got, g.Verdict)
			if g.N != seeds {
				t.Errorf("gate %s is judged by %d seeds, want %d", g.Name, g.N, seeds)
			}
		}
		if diff := cmp.Diff([]verdict.Outcome{verdict.Pass, verdict.Fail, verdict.Undecided}, got); diff != "" {
			t.Errorf("verdicts with %d fresh seeds (−want +got):\n%s", confirm, diff)
		}
		if v.Outcome != verdict.Fail || !strings.Contains(v.Message, "must-fail") {
			t.Errorf("all in all %s: %s", v.Outcome, v.Message)
		}
	}
}
