// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Checks says how far predictions for an instance with its accelerator's own shares were off,
// a check for each metric; none where nothing was measured, or only what the shares of
// another model were fitted to. Shares that were fitted on what
// the instance serves have the errors of the fit. The built-in checks are about the
// built-in entries, and about entries with published shares of a generation. The
// catalogue is that of the instance.
func (i Instance) Checks(c *Catalogue) []AppliedCheck {
	var all []AppliedCheck
	p := i.Accelerator.Provenance
	if p != nil && len(p.MeanAbsoluteErrorPercent) > 0 && p.Covers(i, c) {
		for _, metric := range checkedMetrics {
			if percent, ok := p.MeanAbsoluteErrorPercent[metric]; ok {
				all = append(all, AppliedCheck{Check{Metric: metric, MeanAbsoluteErrorPercent: percent, Fitted: true, Source: p.Source}, ""})
			}
		}
		return all
	}
	if !i.Accelerator.Checkable() {
		return nil
	}
	extrapolated := p != nil && p.Shares == Fitted && !p.Covers(i, c)
	for _, metric := range checkedMetrics {
		if check, ok := BuiltinChecks().Nearest(metric, i); ok && (!check.Fitted || !extrapolated) {
			all = append(all, check)
		}
	}
	return all
}

// Checkable reports whether the built-in checks are about the entry: it is the built-in one, or
// it has published shares.
func (a Accelerator) Checkable() bool {
	builtin, _ := Builtin().Accelerator(a.Name)
	return a.Provenance != nil && a.Provenance.Shares != Fitted || reflect.DeepEqual(builtin, a)
}

// AppliedCheck is a check that stands for predictions of an instance.
type AppliedCheck struct {
	Check
	// But says in what the measured points differ from the instance, such as "at TP 8";
	// empty where in nothing.
	But string
}

// Nearest returns the check of a metric whose points are most like an instance; false where
// no model of its kind was measured on a GPU of its generation, or where ranks step
// together, of which there is no measurement. Points of releases that are
// not known are like any.
//
// First the engine's version may differ, then the number of GPUs, then the format of
// the weights, and the accelerator last. Points that something was fitted to say nothing
// about other GPUs, numbers of them or formats. Of checks that are as near, one with points that
// nothing was fitted to stands before others, and the one with the greatest error before
// the rest.
func (c Checks) Nearest(metric CheckedMetric, i Instance) (AppliedCheck, bool) {
	if i.StepTogether() {
		return AppliedCheck{}, false
	}
	at := served{i}
	var best *Check
	for n := range c {
		row := &c[n]
		if row.Metric == metric && at.comparable(row) && (best == nil || at.compare(row, best) < 0) {
			best = row
		}
	}
	if best == nil {
		return AppliedCheck{}, false
	}
	return AppliedCheck{*best, at.differences(best)}, true
}

// served is an instance next to checks.
type served struct{ Instance }

// CheckedWeights is the format that most of the weights are in: that of the experts, if there
// are any.
func (i Instance) CheckedWeights() Precision {
	if i.Model.Kind() == Experts {
		return i.expertQuantization().Weights
	}
	return i.quantization().Weights
}

// comparable reports whether a check says anything about the instance.
func (at served) comparable(c *Check) bool {
	measured, _ := Builtin().Accelerator(c.Accelerator)
	sameGeneration := measured.Generation == at.Accelerator.Generation && measured.Generation != ""
	if c.Fitted && (c.Accelerator != at.Accelerator.Name || c.Weights != at.CheckedWeights() || at.gpuRatio(c) > 1) {
		return false
	}
	return c.Kind == at.Model.Kind() && (c.Accelerator == at.Accelerator.Name || sameGeneration)
}

// compare orders checks by how near they are.
func (at served) compare(a, b *Check) int {
	return cmp.Or(
		compareBools(a.Accelerator != at.Accelerator.Name, b.Accelerator != at.Accelerator.Name),
		compareBools(a.Weights != at.CheckedWeights(), b.Weights != at.CheckedWeights()),
		cmp.Compare(at.gpuRatio(a), at.gpuRatio(b)),
		cmp.Compare(at.releases(a), at.releases(b)),
		compareBools(a.Fitted, b.Fitted),
		cmp.Compare(b.MeanAbsoluteErrorPercent, a.MeanAbsoluteErrorPercent),
	)
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// gpuRatio is how many times more or fewer GPUs the nearest of a check's points have.
func (at served) gpuRatio(c *Check) float64 {
	nearest := float64(1 << 30)
	for _, n := range c.TensorParallelism {
		nearest = min(nearest, float64(max(n, at.TensorParallelism))/float64(min(n, at.TensorParallelism)))
	}
	return nearest
}

// releases is how many releases lie between that of the engine and those of a check.
func (at served) releases(c *Check) int {
	from, to, err := c.versions()
	if from == 0 || err != nil {
		return 0
	}
	own := at.EngineVersion.orDefault()
	return int(max(0, from-own, own-to))
}

// differences says in what the points of a check are others, in the order in which they
// may be.
func (at served) differences(c *Check) string {
	var words []string
	if at.releases(c) > 0 {
		text := "with vLLM " + c.FromVersion
		if c.ToVersion != c.FromVersion {
			text += " to " + c.ToVersion
		}
		words = append(words, text)
	}
	if !slices.Contains(c.TensorParallelism, at.TensorParallelism) {
		words = append(words, "at TP "+joinGPUs(c.TensorParallelism))
	}
	if c.Weights != at.CheckedWeights() {
		words = append(words, fmt.Sprintf("with weights in %s", c.Weights))
	}
	if c.Accelerator != at.Accelerator.Name {
		words = append(words, "on "+c.Accelerator)
	}
	return strings.Join(words, ", ")
}
