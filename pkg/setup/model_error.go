// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/result"
)

// ModelError says how far predictions of a metric for the pools of a scenario that was built
// were off: for the worst of them, or one that is not checked.
func (b *Builder) ModelError(root Tree, metric latency.CheckedMetric) result.ModelError {
	in, err := DecodeScenario(root)
	if err != nil {
		panic(fmt.Sprintf("setup: the error of a scenario that cannot be read: %v", err))
	}
	worst := result.ModelError{Share: -1, Model: stepModel(in)}
	catalogue, errs := b.catalogue(in.Catalogue, nil)
	if len(errs) > 0 {
		panic(fmt.Sprintf("setup: the error of a scenario that cannot be built: %v", errs.ToAggregate()))
	}
	for i := range in.Pools {
		pool := &in.Pools[i]
		instance, errs := buildInstance(pool, catalogue, nil)
		if len(errs) > 0 {
			panic(fmt.Sprintf("setup: the error of a pool that cannot be built: %v", errs.ToAggregate()))
		}
		percent, known := errorPercent(stepTimes{pool, instance, catalogue}.checks(), metric)
		if worst.Unchecked || known && percent/100 <= worst.Share {
			continue
		}
		worst.Share, worst.Unchecked = percent/100, !known
		worst.Why = fmt.Sprintf("predictions of %s for pool %s were off by %s %%", metric, pool.Name, figure.Significant(percent, 2))
		if !known {
			worst.Why = fmt.Sprintf("nothing says how far predictions of %s for pool %s are off", metric, pool.Name)
		}
		worst.Settles = fmt.Sprintf("measure %s of %s on %s at TP %d, and calibrate", metric, instance.Model.Name, pool.Accelerator, pool.TensorParallelism)
	}
	return worst
}

// errorPercent is the mean absolute error of a metric. A time that no check is about is a sum of
// the two others: it is off by no more than the worse of both.
func errorPercent(checks []latency.AppliedCheck, metric latency.CheckedMetric) (percent float64, known bool) {
	var parts []float64
	for i := range checks {
		if checks[i].Metric == metric {
			return checks[i].MeanAbsoluteErrorPercent, true
		}
		parts = append(parts, checks[i].MeanAbsoluteErrorPercent)
	}
	if metric != latency.CheckedE2E || len(parts) < 2 {
		return 0, false
	}
	return slices.Max(parts), true
}

// stepModel identifies what the step times of a scenario's pools are computed with: two
// scenarios with equal ones have the errors of the model in common.
func stepModel(in *v1alpha1.Scenario) string {
	var pools []string
	for i := range in.Pools {
		p := &in.Pools[i]
		raw, err := json.Marshal([]any{p.Model, p.Accelerator, p.TensorParallelism, p.Quantization, p.Latency, p.Engine.Version, p.Engine.Speculation,
			p.DataParallelism, p.ExpertParallelism, in.Catalogue})
		if err != nil {
			panic(fmt.Sprintf("setup: a pool: %v", err))
		}
		pools = append(pools, string(raw))
	}
	slices.Sort(pools)
	return strings.Join(slices.Compact(pools), "\n")
}

// kinds are the words for kinds of models.
var kinds = map[latency.ModelKind]string{latency.Dense: "dense models", latency.Experts: "models with experts"}

// errors say how far predictions for the pool were off, or that it is not known.
func (s stepTimes) errors() string {
	checks, of := s.checks(), s.instance
	if len(checks) == 0 {
		return fmt.Sprintf("unchecked: no measurement of %s, so calibrate before you rely on absolute times", s.unmeasured())
	}
	texts := make([]string, len(checks))
	for i := range checks {
		texts[i] = checkText(&checks[i])
	}
	return fmt.Sprintf("such predictions (%s, %s, vLLM %s) were off by %s", kinds[of.Model.Kind()], of.CheckedWeights(), of.EngineVersion, strings.Join(texts, ", by "))
}

// unmeasured names what there is no measurement of.
func (s stepTimes) unmeasured() string {
	of := s.instance
	switch {
	case s.pool.Engine.Speculation != nil:
		return "engines with speculative decoding"
	case otherLatencyModels[s.pool.Latency.Model] != "" || s.coefficientsGiven() || !of.Accelerator.Checkable():
		return "these coefficients"
	case of.StepTogether():
		return fmt.Sprintf("%s at DP %d", kinds[of.Model.Kind()], of.DataParallelism)
	case s.extrapolates():
		return fmt.Sprintf("%s with these shares at TP %d", of.Model.Name, of.TensorParallelism)
	}
	return kinds[of.Model.Kind()] + " on " + of.Accelerator.Name
}

// checkText names the error and what it rests on; that of a fit of the user's has been named
// as the source of the shares.
func checkText(c *latency.AppliedCheck) string {
	text := fmt.Sprintf("%s %% in %s", figure.Significant(c.MeanAbsoluteErrorPercent, 2), c.Metric)
	var evidence []string
	if c.Points > 0 {
		points := figure.Plural(c.Points, "point")
		if c.Fitted {
			points += " of the fit"
		}
		evidence = []string{"median ratio " + figure.Significant(c.MedianRatio, 2), strings.TrimSpace(points + " " + c.But)}
	}
	if c.P90AbsoluteErrorPercent > 0 {
		evidence = append([]string{fmt.Sprintf("p90 %s %%", figure.Significant(c.P90AbsoluteErrorPercent, 2))}, evidence...)
	}
	if len(evidence) == 0 {
		return text
	}
	return fmt.Sprintf("%s (%s)", text, strings.Join(evidence, ", "))
}

// coefficientsGiven reports whether the pool overrides some of them.
func (s stepTimes) coefficientsGiven() bool {
	return len(givenCoefficients(s.pool.Latency.Roofline)) > 0
}

// checks say how far predictions for the pool were off; none where that is not known.
// Coefficients of the pool's own go only with shares that were fitted together with them.
// No engine that speculates was measured.
func (s stepTimes) checks() []latency.AppliedCheck {
	if otherLatencyModels[s.pool.Latency.Model] != "" || s.pool.Engine.Speculation != nil {
		return nil
	}
	checks := s.instance.Checks(s.catalogue)
	if s.coefficientsGiven() && !s.calibrated() {
		return nil
	}
	return checks
}

// calibrated reports whether the shares of the accelerator have errors of their own.
func (s stepTimes) calibrated() bool {
	p := s.instance.Accelerator.Provenance
	return p != nil && len(p.MeanAbsoluteErrorPercent) > 0
}
