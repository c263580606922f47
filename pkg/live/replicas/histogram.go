// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"slices"
	"sort"
)

// Histogram counts seconds in buckets, as Prometheus does.
type Histogram struct {
	// Bounds are the upper bounds of the buckets, in seconds, ascending. Counts has one entry for each,
	// of that bucket alone, and a last one for what is beyond.
	Bounds []float64
	Counts []int64
	// Sum is in seconds.
	Sum float64
}

func newHistogram(bounds []float64) Histogram {
	return Histogram{Bounds: bounds, Counts: make([]int64, len(bounds)+1)}
}

func (h *Histogram) observe(seconds float64) {
	h.Counts[sort.SearchFloat64s(h.Bounds, seconds)]++
	h.Sum += seconds
}

// Count is how many values were counted.
func (h *Histogram) Count() int64 {
	n := int64(0)
	for _, c := range h.Counts {
		n += c
	}
	return n
}

func (h *Histogram) clone() Histogram {
	return Histogram{Bounds: h.Bounds, Counts: slices.Clone(h.Counts), Sum: h.Sum}
}

// The buckets of vLLM 0.10 to 0.29 (vllm/v1/metrics/loggers.py), and those of lateness.
var (
	firstTokenBounds = []float64{.001, .005, .01, .02, .04, .06, .08, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560}
	tokenBounds      = []float64{.01, .025, .05, .075, .1, .15, .2, .3, .4, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80}
	requestBounds    = []float64{.3, .5, .8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680}
	latenessBounds   = []float64{.0001, .00025, .0005, .001, .002, .005, .01, .02, .05, .1, .25, .5, 1}
)
