// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
)

// long is a text of so many bytes, begun so that no two are the same.
func long(n, i int) string { return fmt.Sprintf("%04d", i) + strings.Repeat("é", (n-4)/2) }

func many(count, bytes int) []string {
	texts := make([]string, count)
	for i := range texts {
		texts[i] = long(bytes, i)
	}
	return texts
}

// fullest is a candidate with the longest values that the schema takes.
func fullest(point int) v1alpha1.PointStatus {
	c := v1alpha1.PointStatus{Point: int64(point), Summary: long(512, 0)}
	for i := range 16 {
		c.Parameters = append(c.Parameters, v1alpha1.Assignment{Name: long(62, i), Value: long(256, i)})
	}
	for i := range 8 {
		c.Objectives = append(c.Objectives, v1alpha1.MetricValue{Metric: long(256, i), Mean: "1.23457e-05", Low: "1.23457e-05", High: "1.23457e-05"})
	}
	return c
}

// TestEveryStatusFits fills each list of a status to the brim, and all of them.
func TestEveryStatusFits(t *testing.T) {
	fills := map[string]func(*v1alpha1.PolicySweepStatus){
		"best and baseline": func(st *v1alpha1.PolicySweepStatus) {
			best, baseline := fullest(0), fullest(1)
			st.Best, st.Baseline = &best, &baseline
		},
		"front": func(st *v1alpha1.PolicySweepStatus) {
			for i := range 16 {
				st.ParetoFront = append(st.ParetoFront, fullest(i))
			}
		},
		"warnings":       func(st *v1alpha1.PolicySweepStatus) { st.Warnings = many(32, 1024) },
		"approximations": func(st *v1alpha1.PolicySweepStatus) { st.Approximations = many(32, 1024) },
		"step times":     func(st *v1alpha1.PolicySweepStatus) { st.StepTimes = many(16, 512) },
		"inputs": func(st *v1alpha1.PolicySweepStatus) {
			for i := range 64 {
				st.Inputs = append(st.Inputs, v1alpha1.InputDigest{Name: long(600, i), SHA256: strings.Repeat("a", 64)})
			}
		},
		"gates": func(st *v1alpha1.PolicySweepStatus) {
			for i := range 16 {
				st.Gates = append(st.Gates, v1alpha1.GateStatus{Name: long(62, i), Verdict: v1alpha1.GateUnknown, Message: long(512, i)})
			}
		},
		"conditions": func(st *v1alpha1.PolicySweepStatus) {
			for i, typ := range append(slices.Clone(ownConditions), v1alpha1.ConditionLinted, v1alpha1.ConditionPassed) {
				st.Conditions = append(st.Conditions, metav1.Condition{
					Type: typ, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonInputMissing, Message: long(maxMessage, i),
				})
			}
		},
		"names": func(st *v1alpha1.PolicySweepStatus) {
			st.Leaderboard, st.Promoted, st.Followed = long(253, 1), long(253, 2), many(10, 252)
			st.Results = &v1alpha1.ResultsStatus{Index: long(253, 3), SHA256: strings.Repeat("a", 64), Digest: strings.Repeat("b", 64), Rows: 1e9, Chunks: 1e6}
			st.PlanHash, st.EngineVersion = strings.Repeat("a", 64), strings.Repeat("1", 32)
			st.Plan = &v1alpha1.PlanStatus{Points: 1e9, Simulations: 1e9, CoreSeconds: 1e9, ConfigMaps: 1e9}
			st.Progress = &v1alpha1.ProgressStatus{Total: 1e9, Completed: 1e9, Failed: 1e9, Reused: 1e9, Round: 1e9, Shards: 1000}
		},
	}
	fills["everything"] = func(st *v1alpha1.PolicySweepStatus) {
		for name, fill := range fills {
			if name != "everything" {
				fill(st)
			}
		}
	}
	for name, fill := range fills {
		t.Run(name, func(t *testing.T) {
			s := sweep{builder.MakeSweep("s", "ns").Obj()}
			fill(&s.Status)
			before := size(s)
			fit(s)
			if after := size(s); after > maxStatus {
				t.Errorf("%d bytes are left of %d, and %d fit", after, before, maxStatus)
			}
			once := size(s)
			if fit(s); size(s) != once {
				t.Errorf("once more makes %d bytes of %d", size(s), once)
			}
		})
	}
}

func TestWhatFitsStays(t *testing.T) {
	s := sweep{builder.MakeSweep("s", "ns").Obj()}
	s.Status.Warnings = many(4, 512)
	fit(s)
	if len(s.Status.Warnings) != 4 {
		t.Errorf("%d warnings are left of 4", len(s.Status.Warnings))
	}
	s.Status.Warnings = many(32, 1024)
	fit(s)
	if n := len(s.Status.Warnings); s.Status.Warnings[n-1] != "and 24 more" || n != 9 {
		t.Errorf("%d warnings are left, the last is %q", n, s.Status.Warnings[n-1])
	}
}
