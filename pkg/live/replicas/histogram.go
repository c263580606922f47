// SPDX-License-Identifier: Apache-2.0

package replicas

import "github.com/prometheus/client_golang/prometheus"

// newHistogram returns a histogram of seconds with the upper bounds of its buckets.
func newHistogram(bounds []float64) prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{Buckets: bounds})
}

// The buckets of vLLM 0.10 to 0.29 (vllm/v1/metrics/loggers.py), and those of lateness.
var (
	firstTokenBounds = []float64{.001, .005, .01, .02, .04, .06, .08, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560}
	tokenBounds      = []float64{.01, .025, .05, .075, .1, .15, .2, .3, .4, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80}
	requestBounds    = []float64{.3, .5, .8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680}
	latenessBounds   = []float64{.0001, .00025, .0005, .001, .002, .005, .01, .02, .05, .1, .25, .5, 1}
)
