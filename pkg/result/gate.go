// SPDX-License-Identifier: Apache-2.0

package result

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// Gate is a claim about the mean of a measure over the seeds.
type Gate struct {
	Name    string  `json:"name"`
	Measure Measure `json:"metric"`
	// Counterpart is what is read of the baseline, where that is not Measure.
	Counterpart Measure  `json:"counterpart,omitzero"`
	Operator    Operator `json:"operator"`
	// Bound is in the measure's unit or, where Relative is set, the change from
	// the baseline ÷ the size of the baseline's mean.
	Bound    float64 `json:"bound"`
	Relative bool    `json:"relative,omitempty"`
	// Confidence is above 0.5 and below 1.
	Confidence float64 `json:"confidence"`
	// ModelError says that a verdict that the error of the model could turn is none.
	ModelError bool `json:"modelError,omitempty"`
}

// GateText is a gate as the user writes it: it has a Value or a change
// VersusBaseline.
type GateText struct {
	Name, Metric, Operator, Value, VersusBaseline, Confidence string
	// ModelError is Include, or Ignore, which is the default.
	ModelError string
}

const includeModelError = "Include"

// Gate reads a gate. Errors are at the path's children, named as in the API.
func (m Measures) Gate(in GateText, path *field.Path) (Gate, field.ErrorList) {
	measure, errs := m.Parse(in.Metric, path.Child("metric"))
	g := Gate{Name: in.Name, Measure: measure, Operator: Operator(in.Operator), Relative: in.VersusBaseline != ""}
	errs = append(errs, g.Operator.check(path.Child("operator"))...)
	var more field.ErrorList
	switch {
	case (in.Value == "") == (in.VersusBaseline == ""):
		more = field.ErrorList{field.Invalid(path, in.Name, "must have one of value and versusBaseline")}
	case g.Relative:
		g.Bound, more = ParseChange(in.VersusBaseline, path.Child("versusBaseline"))
		if len(errs)+len(more) == 0 && g.Bound < -1 && measure.Unit() != Number && measure.Unit() != Ratio {
			more = field.ErrorList{field.Invalid(path.Child("versusBaseline"), in.VersusBaseline, "must be at least -100%: no value of the metric is below 0")}
		}
	case len(errs) == 0:
		g.Bound, more = ParseBound(in.Value, measure.Unit(), path.Child("value"))
	}
	errs = append(errs, more...)
	var err error
	g.Confidence, err = strconv.ParseFloat(in.Confidence, 64)
	switch {
	case in.Confidence == "":
		errs = append(errs, field.Required(path.Child("confidence"), "set the confidence that the claim must have, such as 0.95"))
	case err != nil || !(g.Confidence > 0.5 && g.Confidence < 1):
		errs = append(errs, field.Invalid(path.Child("confidence"), in.Confidence, "must be above 0.5 and below 1"))
	}
	g.ModelError = in.ModelError == includeModelError
	if g.ModelError && len(errs) == 0 && measure.Checked() == "" {
		errs = append(errs, field.Invalid(path.Child("modelError"), in.ModelError, fmt.Sprintf(
			"the error of the model is known of %s only, and not of %s", list(slices.Sorted(maps.Keys(checkedMetrics))), measure)))
	}
	return g, errs
}

// String returns the claim in words.
func (g Gate) String() string {
	switch {
	case g.Relative && g.Counterpart != Measure{}:
		return fmt.Sprintf("%s %s %s of the baseline %s", g.Measure, g.Operator.Symbol(), g.Counterpart, changeText(g.Bound))
	case g.Relative:
		return fmt.Sprintf("%s %s baseline %s", g.Measure, g.Operator.Symbol(), changeText(g.Bound))
	}
	return Constraint{g.Measure, g.Operator, g.Bound}.String()
}

// GateResult is a gate and what rows say of it.
type GateResult struct {
	Gate
	// Point names the point that was judged, where that is not the best one.
	Point   string          `json:"point,omitempty"`
	Verdict verdict.Outcome `json:"verdict"`
	// Estimate is the mean over N seeds, in the gate's own terms; absent where
	// there is none.
	Estimate *float64 `json:"estimate,omitempty"`
	// Limit is what the mean is below, or above, with the confidence: at the side
	// on which the claim was decided, or where it was not, at that of the claim.
	Limit *float64 `json:"limit,omitempty"`
	N     int      `json:"n"`
	// Message says it with figures.
	Message string `json:"words"`
	// Change says how far what is judged differs from the baseline; nil where nothing is
	// compared.
	Change *Change `json:"change,omitempty"`
	// Doubt says why the error of the model could turn the verdict, and what would settle
	// it; empty where it could not.
	Doubt string `json:"doubt,omitempty"`
}

// With takes in how far a change from the baseline was exercised. Where it was not, a claim
// relative to the baseline is undecided: both sides would have the same figures whatever
// the change does.
func (r GateResult) With(c *Change) GateResult {
	r.Change = c
	if c == nil || c.Unexercised == "" || !r.Relative || r.Verdict == verdict.Fail && !c.IsBlind() {
		return r
	}
	r.Verdict = verdict.Undecided
	r.Message = fmt.Sprintf("%s %s: the change was not exercised (%s)", r.Gate, r.Verdict.Verb(), c)
	return r
}

// Judge says what the rows of a candidate say of the claim; baseline is only
// looked at by claims relative to it, seed by seed.
//
// It is Student's one-sided t-test over the seeds at the gate's confidence,
// whatever the measure: the quantile that a simulation measures is one number a
// seed, of which the mean is judged, and with as few seeds as there are, a
// bootstrap would claim more than it holds. Fewer than two seeds are Unknown.
// Where all seeds give the same, that value decides.
func (g Gate) Judge(candidate, baseline []Row) GateResult {
	r := GateResult{Gate: g, Verdict: verdict.Undecided}
	xs, ys := g.values(candidate, baseline)
	r.N = len(xs)
	if r.N == 0 {
		r.Message = fmt.Sprintf("%s: it has no measurement", g)
		return r
	}
	r.Verdict = g.claim(xs, ys)
	if missing := len(candidate) - r.N; missing > 0 && r.Verdict == verdict.Pass {
		r.Verdict = verdict.Undecided
	}
	r.estimate(xs, ys)
	r.Message = r.message(len(candidate), constant(xs) && constant(ys))
	return r
}

// values are those of the seeds; where the claim is relative, of the seeds that both sides have.
func (g Gate) values(candidate, baseline []Row) (xs, ys []float64) {
	if g.Relative {
		return pairsOf(bySeed(candidate), bySeed(baseline), g.Measure.Reader(), cmp.Or(g.Counterpart, g.Measure).Reader())
	}
	return g.Measure.Reader().values(candidate), nil
}

// claim judges values of the seeds.
func (g Gate) claim(xs, ys []float64) verdict.Outcome {
	switch claimAtMostZero(g.distances(xs, ys), g.Confidence) {
	case Holds:
		return verdict.Pass
	case Breaks:
		return verdict.Fail
	}
	return verdict.Undecided
}

// AgainstItself is the result of a relative claim about the baseline, which
// would hold whatever the figures.
func (g Gate) AgainstItself() GateResult {
	return GateResult{Gate: g, Verdict: verdict.NotJudged, Message: fmt.Sprintf("%s %s, because the baseline is the best point", g, verdict.NotJudged.Verb())}
}

// JudgeEach says whether the claim holds at every candidate: it fails where it
// fails at one, and passes where it passes at all. The result is that of the
// candidate that decides: the one furthest beyond the bound, or nearest to it.
func (g Gate) JudgeEach(candidates []Contender, baseline *Contender) GateResult {
	counts := map[verdict.Outcome]int{}
	var worst GateResult
	for i := range candidates {
		c := &candidates[i]
		r := g.JudgeOne(c, baseline)
		r.Point = c.Name
		counts[r.Verdict]++
		if worst.Verdict == "" || r.isWorseThan(&worst) {
			worst = r
		}
	}
	if len(candidates) == 0 {
		return GateResult{Gate: g, Verdict: verdict.Undecided, Message: fmt.Sprintf("%s: there is no point except the baseline", g)}
	}
	if len(candidates) == 1 {
		worst.Message = worst.Point + ": " + worst.Message
		return worst
	}
	var numbers []string
	for _, outcome := range []verdict.Outcome{verdict.Pass, verdict.Fail, verdict.Undecided} {
		numbers = append(numbers, fmt.Sprintf("%d %s", counts[outcome], outcome.Word()))
	}
	worst.Message = fmt.Sprintf("%s: %s (of %d points %s)", worst.Point, worst.Message, len(candidates), strings.Join(numbers, ", "))
	return worst
}

// JudgeOne judges a candidate by its rows, by how far its change was exercised, and by the errors
// of the model.
func (g Gate) JudgeOne(candidate, baseline *Contender) GateResult {
	return g.Judge(candidate.Rows, baseline.Rows).With(candidate.Change).withModelErrors(candidate, baseline)
}

// Contender is a point that a claim is about, and its rows.
type Contender struct {
	Name  string
	Point int
	Rows  []Row
	// Change is against the baseline; nil where nothing is compared.
	Change *Change
	// ModelError is that of the measure of a gate that asks for it.
	ModelError ModelError
}

// isWorseThan orders the results of one gate at several points.
func (r *GateResult) isWorseThan(other *GateResult) bool {
	severity := map[verdict.Outcome]int{verdict.Fail: 2, verdict.Undecided: 1}
	if severity[r.Verdict] != severity[other.Verdict] {
		return severity[r.Verdict] > severity[other.Verdict]
	}
	if r.Estimate == nil || other.Estimate == nil {
		return r.Estimate == nil && other.Estimate != nil
	}
	return r.Operator.sign()*(*r.Estimate-*other.Estimate) > 0
}

// distances are how far the seeds are beyond the bound, negative where they keep
// to it. The baseline scales a relative one, so that none is divided by it.
func (g Gate) distances(xs, ys []float64) []float64 {
	d := make([]float64, len(xs))
	factor := 1 + g.Bound
	if g.Relative && mean(ys) < 0 {
		factor = 1 - g.Bound
	}
	for i := range xs {
		bound := g.Bound
		if g.Relative {
			bound = float64(factor * ys[i])
		}
		d[i] = float64(g.Operator.sign() * (xs[i] - bound))
	}
	return d
}

// estimate fills in the estimate and its limit, where they are finite.
func (r *GateResult) estimate(xs, ys []float64) {
	estimate, low, high := mean(xs), math.Inf(-1), math.Inf(1)
	switch {
	case r.Relative:
		base := mean(ys)
		if base == 0 {
			return
		}
		estimate = (estimate - base) / math.Abs(base)
		low, high = stats.PairedRatioBounds(xs, ys, r.Confidence)
		low, high = low-1, high-1
		if base < 0 {
			low, high = -high, -low
		}
	case len(xs) > 1:
		low, high = stats.LowerBound(xs, r.Confidence), stats.UpperBound(xs, r.Confidence)
	}
	r.Estimate = &estimate
	limit := high
	if (r.Operator == AtMost) == (r.Verdict == verdict.Fail) {
		limit = low
	}
	if !math.IsInf(limit, 0) {
		r.Limit = &limit
	}
}

// message says what was found, such as
// ttft.p99 ≤ 500 ms fails: 612.1 ms, above 590.3 ms with 95 % (5 seeds).
func (r *GateResult) message(seeds int, constant bool) string {
	var found []string
	if r.Estimate != nil {
		found = append(found, r.figure(*r.Estimate))
	}
	switch {
	case r.N < 2:
		found = append(found, "one seed, which does not show the spread")
	case constant:
		found = append(found, fmt.Sprintf("the same under all %d seeds", r.N))
	case r.Limit != nil:
		side := "below"
		if (r.Operator == AtMost) == (r.Verdict == verdict.Fail) {
			side = "above"
		}
		found = append(found, fmt.Sprintf("%s %s with %s %% (%d seeds)", side, r.figure(*r.Limit), figure.Shortest(100*r.Confidence), r.N))
	case r.Relative:
		found = append(found, fmt.Sprintf("the baseline does not differ from 0 with confidence (%d seeds)", r.N))
	}
	if missing := seeds - r.N; missing > 0 {
		found = append(found, fmt.Sprintf("no value under %d of %d seeds", missing, seeds))
	}
	return fmt.Sprintf("%s %s: %s", r.Gate, r.Verdict.Verb(), strings.Join(found, ", "))
}

// figure prints a value in the gate's terms.
func (r *GateResult) figure(value float64) string {
	if r.Relative {
		return changeText(value)
	}
	d := r.Measure.Unit().Display()
	return strings.TrimSpace(figure.Significant(value*d.Factor, evidenceDigits) + " " + d.Suffix)
}

// evidenceDigits are the significant digits of the figures next to a limit.
const evidenceDigits = 4

// changeText prints a relative change: in percent with four digits, or a great one as a multiple of
// the baseline.
func changeText(change float64) string {
	if figure.IsMultiple(change) {
		return figure.Compared(change) + " the baseline"
	}
	return figure.Change(change, evidenceDigits)
}

// ChangeJudged is the change from the baseline that the first gate about one judges; nil where
// nothing is compared.
func ChangeJudged(results []GateResult) *Change {
	for _, r := range results {
		if r.Change != nil {
			return r.Change
		}
	}
	return nil
}

// Unexercised is why a change that gates are about is not judged; empty where each one is.
func Unexercised(results []GateResult) string {
	for _, r := range results {
		if r.Change != nil && r.Change.Unexercised != "" {
			return r.Change.Unexercised
		}
	}
	return ""
}
