// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"fmt"
	"math"

	"windtunnel.dev/windtunnel/pkg/latency"
)

const (
	// almostAll is a share that no engine achieves of a true peak.
	almostAll = 0.98
	// fewRequests say little about percentiles, and nothing about large batches.
	fewRequests = 50
	// Means beyond these, in seconds, are likelier to be milliseconds.
	longTTFT, longE2E = 600, 3600
	// largeError of a mean is more than a right description leaves.
	largeError = 0.05
)

// Warnings says, in words for the user, what is odd about fitted coefficients.
func Warnings(c latency.RooflineCoefficients) []string {
	var all []string
	for _, share := range []struct {
		of    string
		value float64
	}{{"bandwidth", c.MemoryEfficiency}, {"FLOP/s", c.PrefillEfficiency}} {
		if share.value > almostAll {
			all = append(all, fmt.Sprintf("all of the accelerator's %s is used, or more: the peak in its entry is too low, or the engine's settings are not those of the run", share.of))
		}
	}
	return all
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

// Warnings says, in words for the user, where coefficients do not explain what
// they were fitted to. Nothing is said of requests that were held back.
func (j *Judgement) Warnings() []string {
	if j.HeldBack {
		return nil
	}
	worst, at := 0.0, TTFT
	for m, statistics := range j.Errors() {
		if e := statistics[Mean]; math.Abs(e) > math.Abs(worst) {
			worst, at = e, Metric(m)
		}
	}
	if math.Abs(worst) <= largeError {
		return nil
	}
	return []string{fmt.Sprintf("%s: the fit does not explain the run: its mean %v is off by %+.1f %%. Then the description is wrong rather than the coefficients; look at the log's units, the KV blocks, maxNumSeqs and maxNumBatchedTokens, prefix caching and shared blocks, and whether it is this model on this accelerator",
		j.Name, at, 100*worst)}
}
