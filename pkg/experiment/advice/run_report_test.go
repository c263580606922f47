// SPDX-License-Identifier: Apache-2.0

package advice

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

func TestReportOfARunHasGatesAndTargets(t *testing.T) {
	status := &v1alpha1.CommonStatus{
		Gates:     []v1alpha1.GateStatus{{Name: "fast", Verdict: v1alpha1.GateOutcome(verdict.Undecided), Message: "too few seeds"}},
		StepTimes: []string{"measured"}, Warnings: []string{"warned"}, Approximations: []string{"about"},
	}
	got := NewRunReport("SimulationRun a", nil, status, []v1alpha1.SLO{{Class: "chat", TTFT: "500ms", E2E: "1m"}, {Class: "batch", TPOT: "20ms"}})
	want := &report.RunReport{
		Title:     "SimulationRun a",
		Gates:     []result.GateResult{{Gate: result.Gate{Name: "fast"}, Verdict: verdict.Undecided, Message: "too few seeds"}},
		Targets:   []report.Target{{Class: "chat", Latency: "ttft", Seconds: 0.5}, {Class: "chat", Latency: "e2e", Seconds: 60}, {Class: "batch", Latency: "tpot", Seconds: 0.02}},
		StepTimes: []string{"measured"}, Warnings: []string{"warned"}, Approximations: []string{"about"},
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b result.Measure) bool { return a == b })); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
