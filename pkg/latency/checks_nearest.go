// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// AppliedCheck is a check that stands for predictions of an instance.
type AppliedCheck struct {
	Check
	// But says in what the measured points differ from the instance, such as "at TP 8";
	// empty where in nothing.
	But string
}

// Nearest returns the check of a metric whose points are most like an instance that
// a release of vLLM serves; false where no model of its kind was measured on a GPU of its
// generation. An empty version is like any.
//
// First the engine's version may differ, then the number of GPUs, then the format of
// the weights, and the accelerator last. Of checks that are as near, one with points that
// nothing was fitted to stands before others, and the one with the greatest error before
// the rest.
func (c Checks) Nearest(metric CheckedMetric, i Instance, version string) (AppliedCheck, bool) {
	at := served{i.Accelerator, i.Model.Kind(), i.TensorParallelism, i.quantization().Weights, 0}
	at.version, _ = minorVersion(version)
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

// served is what errors of predictions depend on.
type served struct {
	accelerator Accelerator
	kind        ModelKind
	gpus        int
	weights     Precision
	version     int
}

// comparable reports whether a check says anything about what is served.
func (at *served) comparable(c *Check) bool {
	measured, _ := Builtin().Accelerator(c.Accelerator)
	sameGeneration := measured.Generation == at.accelerator.Generation && measured.Generation != ""
	return c.Kind == at.kind && (c.Accelerator == at.accelerator.Name || sameGeneration)
}

// compare orders checks by how near they are.
func (at *served) compare(a, b *Check) int {
	return cmp.Or(
		compareBools(a.Accelerator != at.accelerator.Name, b.Accelerator != at.accelerator.Name),
		compareBools(a.Weights != at.weights, b.Weights != at.weights),
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
func (at *served) gpuRatio(c *Check) float64 {
	nearest := float64(1 << 30)
	for _, n := range c.TensorParallelism {
		nearest = min(nearest, float64(max(n, at.gpus))/float64(min(n, at.gpus)))
	}
	return nearest
}

// releases is how many releases lie between that of the engine and those of a check.
func (at *served) releases(c *Check) int {
	from, _ := minorVersion(c.FromVersion)
	to, _ := minorVersion(c.ToVersion)
	if at.version == 0 || from == 0 {
		return 0
	}
	return max(0, from-at.version, at.version-to)
}

// differences says in what the points of a check are others, in the order in which they
// may be.
func (at *served) differences(c *Check) string {
	var words []string
	if at.releases(c) > 0 {
		text := "with vLLM " + c.FromVersion
		if c.ToVersion != c.FromVersion {
			text += " to " + c.ToVersion
		}
		words = append(words, text)
	}
	if !slices.Contains(c.TensorParallelism, at.gpus) {
		words = append(words, "at TP "+joinGPUs(c.TensorParallelism))
	}
	if c.Weights != at.weights {
		words = append(words, fmt.Sprintf("with weights in %s", c.Weights))
	}
	if c.Accelerator != at.accelerator.Name {
		words = append(words, "on "+c.Accelerator)
	}
	return strings.Join(words, ", ")
}
