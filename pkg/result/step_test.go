// SPDX-License-Identifier: Apache-2.0

package result

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/verdict"
)

// TestTheFirstStepThatDoesNotPassDecidesARollout judges steps whose p99 is one value under all seeds.
func TestTheFirstStepThatDoesNotPassDecidesARollout(t *testing.T) {
	gate, errs := Measures{}.Gate(GateText{Name: "ttft", Metric: "ttft.p99", Operator: "AtMost", Value: "500ms", Confidence: "0.95"}, field.NewPath("gates"))
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	at := func(percent int, values ...float64) Step {
		var metrics []map[string]float64
		for _, v := range values {
			metrics = append(metrics, map[string]float64{"ttft.p99": v})
		}
		return NewStep(percent, percent, []GateResult{gate.JudgeOne(&Contender{Rows: makeRows(percent, metrics...)}, &Contender{})})
	}
	const low, high = 0.1, 0.9
	for name, tc := range map[string]struct {
		steps []Step
		want  verdict.Outcome
		words string
		safe  int
	}{
		"all pass": {
			[]Step{at(10, low, low), at(100, low, low)}, verdict.Pass, "2 steps to 100 % pass: at each, the gate passes", 100,
		},
		"the only step passes": {
			[]Step{at(50, low, low)}, verdict.Pass, "the step to 50 % passes: the gate passes", 50,
		},
		"one fails, and so do later ones": {
			[]Step{at(10, low, low), at(25, low, low), at(50, 0.6, 0.6), at(100, high, high)}, verdict.Fail,
			"stopped at 50 %: gate ttft: the 99th percentile of the time to first token is 600 ms, above the limit of 500 ms; 25 % is safe", 25,
		},
		"the first fails": {
			[]Step{at(10, high, high), at(50, low, low)}, verdict.Fail,
			"stopped at 10 %: gate ttft: the 99th percentile of the time to first token is 900 ms, above the limit of 500 ms; no step is safe", 0,
		},
		"one is undecided": {
			[]Step{at(10, low, low), at(25, low), at(50, low, low)}, verdict.Undecided,
			"undecided at 25 %: gate ttft: the 99th percentile of the time to first token is 100 ms, and 1 seed does not tell on which side of the limit of 500 ms it lies; 10 % is safe", 10,
		},
		"one that fails decides, whatever is undecided before it": {
			[]Step{at(10, low, low), at(25, low), at(50, high, high)}, verdict.Fail,
			"stopped at 50 %: gate ttft: the 99th percentile of the time to first token is 900 ms, above the limit of 500 ms; 10 % is safe, and 25 % is undecided", 10,
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := JudgeSteps(tc.steps)
			if v.Outcome != tc.want || Safe(tc.steps) != tc.safe {
				t.Errorf("%s, safe to %d %%; want %s and %d %%", v.Outcome, Safe(tc.steps), tc.want, tc.safe)
			}
			if diff := cmp.Diff(tc.words, v.Message); diff != "" {
				t.Errorf("words, −want +got:\n%s", diff)
			}
		})
	}
}

// TestAGateMayReadAnotherMeasureOfTheBaseline: the canary's 220 ms against the 200 ms of all requests before it is
// 10 % more under each seed.
func TestAGateMayReadAnotherMeasureOfTheBaseline(t *testing.T) {
	gate, errs := Measures{}.Gate(GateText{Name: "ttft", Metric: "ttft.p99{pool=canary}", Operator: "AtMost", VersusBaseline: "5%", Confidence: "0.95"}, field.NewPath("gates"))
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	gate.Counterpart = gate.Measure.OfAllPools()
	of := func(metric string, values ...float64) []Row {
		var metrics []map[string]float64
		for _, v := range values {
			metrics = append(metrics, map[string]float64{metric: v})
		}
		return makeRows(0, metrics...)
	}
	r := gate.Judge(of("ttft.p99{pool=canary}", 0.22, 0.231), of("ttft.p99", 0.2, 0.21))
	want := "ttft.p99{pool=canary} ≤ ttft.p99 of the baseline +5 % fails: +10 %, above +10 % with 95 % (2 seeds)"
	if diff := cmp.Diff(want, r.Message); r.Verdict != verdict.Fail || diff != "" {
		t.Errorf("%s, −want +got:\n%s", r.Verdict, diff)
	}
	if diff := cmp.Diff("the 99th percentile of the time to first token of requests with pool=canary is 10 % above the baseline's of all requests, above the limit of +5 %", r.Sentence()); diff != "" {
		t.Errorf("sentence, −want +got:\n%s", diff)
	}
}
