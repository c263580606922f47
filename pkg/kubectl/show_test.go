// SPDX-License-Identifier: Apache-2.0

package kubectl_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/kubectl"
)

func TestTheTableOfASweep(t *testing.T) {
	s := sweepIn("Running", false)
	s.Status.Progress = &v1alpha1.ProgressStatus{Total: 900, Completed: 400, Underway: 20, Failed: 2, Reused: 7, Round: 3, Shards: 4}
	s.Status.Best = &v1alpha1.PointStatus{Point: 7, Objectives: []v1alpha1.MetricValue{{Metric: "ttft.p99", Mean: "0.2", Low: "0.1", High: "0.3"}}}
	s.Status.Gates = []v1alpha1.GateStatus{{Name: "fast", Verdict: v1alpha1.GateUnknown, Message: "needs more seeds"}}
	want := `PolicySweep  n/s
state        Running
round        3
simulations  420 of 900 done, 2 failed, 7 reused, 4 shards
best so far  point 7: ttft.p99 200 ms (100 ms to 300 ms)
gate fast    undecided: needs more seeds`
	if diff := cmp.Diff(want, strings.Join(kubectl.Lines(kubectl.Object{Sweep: s}), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWhatIsFineHasAReport(t *testing.T) {
	sweep, run := sweepIn("Complete", true), &v1alpha1.SimulationRun{}
	run.ObjectMeta, run.Status.CommonStatus = sweep.ObjectMeta, sweep.Status.CommonStatus
	caller := kubectl.Caller{Program: "windtunnel"}
	for _, o := range []kubectl.Object{{Sweep: sweep}, {Run: run}} {
		if next := caller.Next(o); next != "" {
			t.Errorf("%s without results: %s", o.Ref(), next)
		}
		o.Status().Results = &v1alpha1.ResultsStatus{}
		if want, next := "windtunnel report "+o.Ref()+" > report.html -n n", caller.Next(o); next != want {
			t.Errorf("next is %q, want %q", next, want)
		}
	}
}

// Words of users stay on one line of a list.
func TestMessagesStayOnOneLine(t *testing.T) {
	s := sweepIn("Blocked", false)
	s.Status.Conditions[0].Message = "line one\n\x09line two " + strings.Repeat("x", 400)
	rows := kubectl.Caller{Program: "windtunnel"}.Top([]kubectl.Object{{Sweep: s}})
	var out strings.Builder
	if err := kubectl.WriteTop(&out, rows, false, rows[0].Created); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "policysweep/s: line one line two xx") || !strings.Contains(out.String(), "x…x") || strings.Count(out.String(), "\n") != 5 {
		t.Error(out.String())
	}
}
