// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"fmt"
	"math"
	"strings"
)

const (
	// almostAll is a share that no engine achieves of a true peak.
	almostAll = 0.98
	// littleFlops is less than any share that was measured, littleBandwidth likewise. Where
	// no run measured a link that the share may hide, more is little already.
	littleFlops, littleBandwidth, littleBehindALink = 0.2, 0.65, 0.7
	// fewRequests say little about percentiles, and nothing about large batches.
	fewRequests = 50
	// Means beyond these, in seconds, are likelier to be milliseconds.
	longTTFT, longE2E = 600, 3600
	// largeError of a mean is more than a right description leaves.
	largeError = 0.05
)

// Warnings says, in words for the user, what is odd about the coefficients, and which
// measurement would mend it.
func (f *Fitted) Warnings() []string {
	c := f.First()
	var all []string
	for _, share := range []struct {
		of, mend string
		value    float64
	}{{"bandwidth", measureContexts, c.MemoryEfficiency}, {"FLOP/s", measureLongPrompts, c.PrefillEfficiency}} {
		if share.value > almostAll {
			all = append(all, fmt.Sprintf("all of the accelerator's %s is used, or more: the peak in its entry is too low, or the engine's settings are not those of the run. Compare the entry with the data sheet. %s", share.of, share.mend))
		}
	}
	if v := c.MemoryEfficiency; v < f.littleBandwidth() {
		all = append(all, fmt.Sprintf("the share of the bandwidth is %.2f, and engines achieve 0.7 to 0.9: it hides something else. %s", v, f.hidden()))
	}
	if v := c.PrefillEfficiency; v < littleFlops {
		all = append(all, fmt.Sprintf("the share of FLOP/s is %.2f, and engines achieve 0.3 to 0.9: the peak in the entry may be that of sparse matrices or of another format. %s", v, measureLongPrompts))
	}
	for k, a := range f.axes {
		if side := f.bound(k); side != "" && a.coefficient != memoryShare && a.coefficient != flopsShare {
			all = append(all, fmt.Sprintf("%s is at the %s bound of what the fit may take: it stands for something else, or the runs do not depend on it. %s", f.axes.name(k), side, measurementOf(a.coefficient)))
		}
	}
	return all
}

func (f *Fitted) littleBandwidth() float64 {
	for _, r := range f.runs {
		if r.Engine.TensorParallelism > 1 && len(r.Engine.Given.AllReduce) == 0 {
			return littleBehindALink
		}
	}
	return littleBandwidth
}

// hidden is what a small share of the bandwidth hides, and the measurement that shows it.
func (f *Fitted) hidden() string {
	for _, r := range f.runs {
		if r.Engine.TensorParallelism > 1 {
			return "With several GPUs that is mostly a link slower than the all-reduce of the catalogue. " + measureCollectives
		}
	}
	return "Check the bandwidth of the entry, and whether anything else ran on the GPU. " + measureOneAtATime
}

// bound says at which bound a coefficient is; empty inside.
func (f *Fitted) bound(k int) string {
	b := bounds[f.axes[k].coefficient]
	switch v := f.values[k]; {
	case v <= b[0]*1.05, !isShare(f.axes[k].coefficient) && v < 10:
		return "lower"
	case v >= b[1]*almostAll:
		return "upper"
	}
	return ""
}

// Warnings says, in words for the user, what is odd about the requests, before
// anything is fitted to them.
func (r *Run) Warnings() []string {
	var all []string
	if n := r.fitted() - r.warmUp; n < fewRequests {
		all = append(all, fmt.Sprintf("%d requests are few: use some hundred; fewer than %d are only a first try", n, fewRequests))
	}
	f := r.figures(0, len(r.Requests))
	if ttft, e2e := f[TTFT][Mean], f[E2E][Mean]; ttft > longTTFT || e2e > longE2E {
		all = append(all, fmt.Sprintf("a mean TTFT of %.0f s and a mean E2E of %.0f s: the log's times must be in seconds; are these milliseconds?", ttft, e2e))
	}
	return all
}

// Unexplained says, in words for the user, where coefficients do not explain what
// they were fitted to; empty where they do. Nothing is said of requests that were held back.
func Unexplained(judgements []*Judgement) string {
	const why = "Then the description is wrong rather than the coefficients; look at the log's units, the KV blocks, maxNumSeqs and maxNumBatchedTokens, prefix caching and shared blocks, and whether it is this model on this accelerator"
	var runs []string
	for _, j := range judgements {
		worst, at := 0.0, TTFT
		for m, statistics := range j.Errors() {
			if e := statistics[Mean]; math.Abs(e) > math.Abs(worst) {
				worst, at = e, Metric(m)
			}
		}
		if math.Abs(worst) > largeError && !j.HeldBack {
			runs = append(runs, fmt.Sprintf("%s: the fit does not explain the run: its mean %v is off by %+.1f %%", j.Name, at, 100*worst))
		}
	}
	switch len(runs) {
	case 0:
		return ""
	case 1:
		return runs[0] + ". " + why
	}
	return fmt.Sprintf("the fit does not explain %d runs. %s:\n  - %s", len(runs), why, strings.Join(runs, "\n  - "))
}
