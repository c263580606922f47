// SPDX-License-Identifier: Apache-2.0

package aibrix_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/realcode"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/aibrix"
)

// answer is what the real controller said, step after step.
type answer struct {
	Config aibrix.Config
	Steps  []struct {
		Now     time.Duration
		Current int
		Values  [][]float64
	}
	Want []said
}

// said is an answer. Reason is in words of the controller.
type said struct {
	Target, Recommended int
	Reason              string
}

// reasons are the words of the controller, without those of APA.
var reasons = map[aibrix.Reason]string{
	aibrix.Disabled: "scaling disabled: current replicas is 0", aibrix.AboveMaximum: "current replicas exceed maximum",
	aibrix.BelowMinimum: "current replicas below minimum", aibrix.Unmeasured: "failed",
	aibrix.Panicked: "panic mode scaling", aibrix.Measured: "stable mode scaling",
}

func TestTheControllerDecidesTheSame(t *testing.T) {
	seen := map[string]int{}
	for i, a := range realcode.Answers[answer](t, "testdata/answers.json.gz") {
		autoscaler := aibrix.New(a.Config)
		for k := range a.Steps {
			step := &a.Steps[k]
			d := autoscaler.Decide(step.Now, step.Current, step.Values)
			got := said{d.Target, d.Recommended, reasons[d.Reason]}
			if d.Reason == aibrix.Unmeasured {
				got.Recommended = 0
			}
			if a.Config.Strategy == aibrix.APA && d.Reason == aibrix.Measured {
				got.Reason = "apa scaling based on current metrics"
			}
			if diff := cmp.Diff(a.Want[k], got); diff != "" {
				t.Fatalf("sequence %d, step %d, %+v of %+v (−real +here):\n%s", i, k, a.Config, step, diff)
			}
			seen["all"]++
			seen[got.Reason]++
			if d.Target != d.Recommended {
				seen["cooldown"]++
			}
		}
	}
	t.Logf("compared %d answers: %v", seen["all"], seen)
	for _, kind := range []string{"cooldown", "panic mode scaling", "stable mode scaling", "apa scaling based on current metrics", "failed", "scaling disabled: current replicas is 0"} {
		if seen[kind] < 20 {
			t.Errorf("%d answers are of kind %s, want at least 20", seen[kind], kind)
		}
	}
}
