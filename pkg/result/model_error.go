// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"strings"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// ModelError says how far predictions of a metric for the pools of a scenario were off on the
// measurements that they were held against.
type ModelError struct {
	// Share is the mean absolute error ÷ what was measured, that of the worst pool. It is not
	// known where Unchecked is set: there is no measurement of some pool.
	Share     float64
	Unchecked bool
	// Why says it in words, and Settles names the measurement that would make it smaller.
	Why, Settles string
	// Model identifies what all step times are computed with.
	Model string
}

// mostModelError bounds an error: a prediction that was off by all of what was measured says
// nothing, and is taken for one that may be a hundredth of it.
const mostModelError = 0.99

// checkedMetrics are the latencies whose errors are known, by the name of the metric.
var checkedMetrics = map[string]latency.CheckedMetric{
	"ttft": latency.CheckedTTFT, "engineTtft": latency.CheckedTTFT, "tpot": latency.CheckedTPOT, "itl": latency.CheckedTPOT, "e2e": latency.CheckedE2E,
}

// Checked is the latency whose error the measure has; empty where it has none.
func (m Measure) Checked() latency.CheckedMetric {
	if m.derived != nil {
		return ""
	}
	return checkedMetrics[m.metric.Name]
}

// withModelErrors takes in the errors of the model under which both sides were simulated, where the
// gate asks for it. A verdict that they could turn is undecided.
func (r GateResult) withModelErrors(candidate, baseline *Contender) GateResult {
	of, ofBaseline := &candidate.ModelError, &baseline.ModelError
	if !r.ModelError || r.Verdict != verdict.Pass && r.Verdict != verdict.Fail || !r.canTurn(candidate, baseline) {
		return r
	}
	found := strings.TrimPrefix(r.Message, fmt.Sprintf("%s %s: ", r.Gate, r.Verdict.Verb()))
	why := of
	if r.Relative && !of.Unchecked && (ofBaseline.Unchecked || ofBaseline.Share > of.Share) {
		why = ofBaseline
	}
	r.Verdict, r.Doubt = verdict.Undecided, fmt.Sprintf("%s; to decide it, %s", why.Why, why.Settles)
	r.Message = fmt.Sprintf("%s %s: %s, but %s", r.Gate, r.Verdict.Verb(), found, r.Doubt)
	return r
}

// canTurn reports whether the verdict is another one at an end of what the errors allow.
//
// What was measured is the prediction ÷ (1 ± error). Two simulations with one model have its
// error in common: if they are equal, so are measurements, and of their difference the error is
// the same share as of either.
func (r *GateResult) canTurn(candidate, baseline *Contender) bool {
	of, ofBaseline := &candidate.ModelError, &baseline.ModelError
	xs, ys := r.values(candidate.Rows, baseline.Rows)
	e, b := min(of.Share, mostModelError), min(ofBaseline.Share, mostModelError)
	sameModel := r.Relative && of.Model == ofBaseline.Model
	switch {
	case sameModel && of.Unchecked:
		e = 1 // the difference may be nothing, or double
	case of.Unchecked, r.Relative && ofBaseline.Unchecked:
		return true
	}
	for _, sign := range []float64{-1, 1} {
		x, y := make([]float64, len(xs)), ys
		switch {
		case sameModel:
			for i := range xs {
				x[i] = ys[i] + float64((xs[i]-ys[i])*(1+float64(sign*e)))
			}
		default:
			x, y = scaled(xs, 1/(1+float64(sign*e))), scaled(ys, 1/(1-float64(sign*b)))
		}
		if r.claim(x, y) != r.Verdict {
			return true
		}
	}
	return false
}

func scaled(values []float64, factor float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = float64(v * factor)
	}
	return out
}

// Doubted reports whether errors of the model are why gates are undecided: more seeds
// would decide none of them.
func Doubted(results []GateResult) bool {
	doubted := false
	for _, r := range results {
		if r.Verdict == verdict.Undecided && r.Doubt == "" {
			return false
		}
		doubted = doubted || r.Doubt != ""
	}
	return doubted
}
