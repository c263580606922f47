// SPDX-License-Identifier: Apache-2.0

package result

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/verdict"
)

// The sentence of a gate has its metric in words, three significant digits, and more only where the
// estimate and the limit would read alike.
func TestTheSentenceOfAGate(t *testing.T) {
	number := func(x float64) *float64 { return &x }
	for want, r := range map[string]GateResult{
		"the 99th percentile of the time to first token is 54 ms, above the limit of 20 ms": {
			Gate: Gate{Measure: Of(MustParseMetric("ttft.p99")), Operator: AtMost, Bound: 0.02}, Verdict: verdict.Fail, Estimate: number(0.054), N: 3,
		},
		"the 99th percentile of the time to first token is 14.2 s, above the limit of 200 ms": {
			Gate: Gate{Measure: Of(MustParseMetric("ttft.p99")), Operator: AtMost, Bound: 0.2}, Verdict: verdict.Fail, Estimate: number(14.1572), N: 5,
		},
		"the median of the time to first token is 20.04 ms, above the limit of 20 ms": {
			Gate: Gate{Measure: Of(MustParseMetric("ttft.p50")), Operator: AtMost, Bound: 0.02}, Verdict: verdict.Fail, Estimate: number(0.02004), N: 3,
		},
		"the mean of the time to first token of requests with class=chat is 54 ms, within the limit of 1 s": {
			Gate: Gate{Measure: Of(MustParseMetric("ttft.mean{class=chat}")), Operator: AtMost, Bound: 1}, Verdict: verdict.Pass, Estimate: number(0.054), N: 3,
		},
		"goodput is 14.6 %, below the limit of 95 %": {
			Gate: Gate{Measure: Of(MustParseMetric("goodput")), Operator: AtLeast, Bound: 0.95}, Verdict: verdict.Fail, Estimate: number(0.146159), N: 2,
		},
		// 1 + 260.558 = 261.558.
		"the 99th percentile of the time to first token is 262 times the baseline's, above the limit of +5 %": {
			Gate: Gate{Measure: Of(MustParseMetric("ttft.p99")), Operator: AtMost, Bound: 0.05, Relative: true}, Verdict: verdict.Fail, Estimate: number(260.558), N: 5,
		},
		"a=1: goodput is 2.5 % below the baseline's, and 3 seeds do not tell on which side of the limit of -1 % it lies": {
			Gate: Gate{Measure: Of(MustParseMetric("goodput")), Operator: AtLeast, Bound: -0.01, Relative: true}, Point: "a=1", Verdict: verdict.Undecided, Estimate: number(-0.025), N: 3,
		},
		"it has no measurement": {Gate: Gate{Measure: Of(MustParseMetric("goodput"))}, Verdict: verdict.Undecided, Message: "it has no measurement"},
	} {
		if got := r.Sentence(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// A change of ten times and more is told as a multiple, and one of 100 % and more without decimals. An interval
// of a latency ends at -100 %: -16 - 260 is less, and -16 + 260 is 244.
func TestTextsOfGreatChanges(t *testing.T) {
	for want, relative := range map[string]float64{"262 ± 3 times": 260.558, "+335 ± 260 %": 3.35, "-16.0 (-100 to +244.0) %": -0.16, "11 ± 3 times": 10} {
		width := 2.6
		c := Comparison{Measure: Of(MustParseMetric("ttft.p99")), Relative: &relative, RelativeHalfWidth: &width, Verdict: Undecided}
		c.Difference.N = 3
		difference, margin, _ := c.Texts(3)
		if got := difference + " " + margin; got != want {
			t.Errorf("%v prints as %s, want %s", relative, got, want)
		}
	}
}
