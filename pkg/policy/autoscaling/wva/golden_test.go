// SPDX-License-Identifier: Apache-2.0

package wva_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/realcode"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/wva"
)

// answer is what the real analyser said of a state. It has no verdict.
type answer struct {
	Config   wva.Config
	Replicas []wva.Replica
	State    wva.State
	Want     wva.Analysis
}

func TestTheAnalyserDecidesTheSame(t *testing.T) {
	verdicts := map[wva.Reason]int{}
	answers := realcode.Answers[answer](t, "testdata/answers.json.gz")
	for i, a := range answers {
		got := a.Config.Decide(a.Replicas, a.State)
		verdicts[got.Reason]++
		got.Reason = ""
		if diff := cmp.Diff(a.Want, got); diff != "" {
			t.Errorf("state %d, %+v (−real +here):\n%s", i, a, diff)
		}
	}
	if len(answers) < 500 {
		t.Errorf("%d answers, want at least 500", len(answers))
	}
	t.Logf("compared %d answers: %v", len(answers), verdicts)
	for _, v := range []wva.Reason{wva.Unmeasured, wva.InTransition, wva.ScaleUp, wva.ScaleDown, wva.Steady} {
		if verdicts[v] < 20 {
			t.Errorf("%d answers are %s, want at least 20", verdicts[v], v)
		}
	}
}
