// SPDX-License-Identifier: Apache-2.0

package result

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

func gateOf(t *testing.T, in GateText) Gate {
	t.Helper()
	in.Name, in.Metric, in.Operator, in.Confidence = "g", "ttft.p99", "AtMost", "0.95"
	g, errs := Measures{}.Gate(in, field.NewPath("gates"))
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return g
}

// constantRows have one value under two seeds, so that the value decides.
func constantRows(point int, ttft float64) []Row {
	v := map[string]float64{"ttft.p99": ttft}
	return makeRows(point, v, v)
}

func TestGatesWithTheErrorOfTheModel(t *testing.T) {
	off := func(share float64) ModelError {
		return ModelError{Share: share, Model: "one", Why: "predictions were off", Settles: "measure"}
	}
	other := func(share float64) ModelError { e := off(share); e.Model = "other"; return e }
	unchecked := ModelError{Unchecked: true, Model: "one", Why: "there is no measurement", Settles: "measure"}
	limit, better, noWorse := GateText{Value: "500ms"}, GateText{VersusBaseline: "-5%"}, GateText{VersusBaseline: "5%"}
	for name, tc := range map[string]struct {
		gate      GateText
		candidate float64 // the baseline has 1 s
		of, base  ModelError
		want      verdict.Outcome
	}{
		// 480 ms ÷ (1 − 0.1) = 533 ms, and ÷ (1 − 0.03) = 495 ms.
		"a margin within the error": {limit, 0.48, off(0.1), off(0.1), verdict.Undecided},
		"a margin beyond the error": {limit, 0.48, off(0.03), off(0.03), verdict.Pass},
		"an error of the baseline":  {limit, 0.48, off(0.03), off(0.5), verdict.Pass},
		"a limit without any error": {limit, 0.48, off(0), off(0), verdict.Pass},
		"an unchecked limit":        {limit, 0.001, unchecked, unchecked, verdict.Undecided},
		// 300 ms ÷ (1 − 0.59) = 732 ms, though 300 ms × 1.59 = 477 ms.
		"a prediction that was less than half": {limit, 0.3, off(0.59), off(0.59), verdict.Undecided},
		// 540 ms ÷ 1.1 = 491 ms, and 560 ms ÷ 1.1 = 509 ms.
		"a failure within the error":        {limit, 0.54, off(0.1), off(0.1), verdict.Undecided},
		"a failure beyond the error":        {limit, 0.56, off(0.1), off(0.1), verdict.Fail},
		"an error of more than all":         {limit, 0.004, off(1.4), off(1.4), verdict.Pass},
		"an error of more than all, turned": {limit, 0.006, off(1.4), off(1.4), verdict.Undecided},
		// + 4 % is up to 4.4 % with an error of 10 %, and up to 6.4 % with one of 59 %.
		"a difference under one model":              {noWorse, 1.04, off(0.1), off(0.1), verdict.Pass},
		"a difference that the error makes larger":  {noWorse, 1.04, off(0.59), off(0.59), verdict.Undecided},
		"a difference whose sign the error keeps":   {GateText{VersusBaseline: "0%"}, 0.99, off(0.9), off(0.9), verdict.Pass},
		"an improvement that the error makes small": {better, 0.93, off(0.5), off(0.5), verdict.Undecided},
		// − 10 % is between nothing and − 20 %.
		"an unchecked difference, no worse":  {noWorse, 0.9, unchecked, unchecked, verdict.Pass},
		"an unchecked difference, better":    {better, 0.9, unchecked, unchecked, verdict.Undecided},
		"no difference":                      {noWorse, 1, unchecked, unchecked, verdict.Pass},
		"pools of two kinds":                 {noWorse, 1.04, off(0.02), other(0.02), verdict.Undecided}, // 1.04 ÷ 0.98 against 1 ÷ 1.02: + 8.2 %
		"pools of two kinds, far apart":      {noWorse, 0.9, off(0.02), other(0.02), verdict.Pass},       // − 6.3 %
		"pools of two kinds, one unchecked":  {noWorse, 0.5, unchecked, other(0.02), verdict.Undecided},
		"pools of two kinds, the other one":  {noWorse, 0.5, other(0.02), unchecked, verdict.Undecided},
		"one of the two kinds is far better": {better, 0.5, off(0.1), other(0.1), verdict.Pass}, // 0.5 ÷ 0.9 against 1 ÷ 1.1: − 39 %
	} {
		t.Run(name, func(t *testing.T) {
			tc.gate.ModelError = "Include"
			candidate := &Contender{Rows: constantRows(1, tc.candidate), ModelError: tc.of}
			baseline := &Contender{Rows: constantRows(0, 1), ModelError: tc.base}
			r := gateOf(t, tc.gate).JudgeOne(candidate, baseline)
			if r.Verdict != tc.want || (r.Doubt != "") != (tc.want == verdict.Undecided) || r.SeedsToTry() != 0 {
				t.Errorf("%s, want %s: %s; doubt %q, %d more seeds", r.Verdict, tc.want, r.Message, r.Doubt, r.SeedsToTry())
			}
			if Doubted([]GateResult{r}) != (tc.want == verdict.Undecided) {
				t.Errorf("the verdict is doubted: %t", Doubted([]GateResult{r}))
			}
			tc.gate.ModelError = "Ignore"
			ignoring := gateOf(t, tc.gate)
			if ignoring.Judge(candidate.Rows, baseline.Rows).Verdict != ignoring.JudgeOne(candidate, baseline).Verdict {
				t.Error("the error turns a verdict that it is not to turn")
			}
		})
	}
}

func TestAGateSaysWhatWouldDecideIt(t *testing.T) {
	e := ModelError{Share: 0.1, Why: "predictions of TTFT for pool chat were off by 10 %", Settles: "measure TTFT of m on g at TP 1, and calibrate"}
	c := &Contender{Rows: constantRows(1, 0.48), ModelError: e}
	r := gateOf(t, GateText{Value: "500ms", ModelError: "Include"}).JudgeOne(c, &Contender{})
	want := "ttft.p99 ≤ 500 ms is undecided: 480 ms, the same under all 2 seeds, but predictions of TTFT for pool chat were off by 10 %; " +
		"to decide it, measure TTFT of m on g at TP 1, and calibrate"
	if diff := cmp.Diff(want, r.Message); diff != "" {
		t.Errorf("message (−want +got):\n%s", diff)
	}
	v := Judge([]GateResult{r})
	judgement, words := v.Outcome, v.Message
	if want := "gate g: the 99th percentile of the time to first token is 480 ms, which does not tell on which side of the limit of 500 ms it lies: " + r.Doubt; judgement != verdict.Undecided || words != want {
		t.Errorf("%s: %s, want %s", judgement, words, want)
	}
	open := GateResult{Verdict: verdict.Undecided}
	if Doubted([]GateResult{r, open}) || Doubted([]GateResult{{Verdict: verdict.Pass}}) || !Doubted([]GateResult{r, {Verdict: verdict.Pass}}) {
		t.Error("more seeds would decide a gate that lacks them, and no other")
	}
}

func TestTheErrorIsKnownOfLatencies(t *testing.T) {
	at := field.NewPath("gates").Index(0)
	for metric, want := range map[string]string{
		"ttft.p99": "", "engineTtft.mean": "", "itl.p50": "", "tpot.mean{class=critical}": "", "e2e.p90": "",
		"goodput": `gates[0].modelError: Invalid value: "Include": the error of the model is known of e2e, engineTtft, itl, tpot, ttft only, and not of goodput`,
	} {
		_, errs := Measures{}.Gate(GateText{Name: "g", Metric: metric, Operator: "AtMost", Value: map[bool]string{true: "1s", false: "90%"}[want == ""], Confidence: "0.95", ModelError: "Include"}, at)
		got := ""
		if err := errs.ToAggregate(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s", metric, got)
		}
	}
}
