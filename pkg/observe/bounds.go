// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
)

// The upper bounds of vLLM's buckets (vllm/v1/metrics/loggers.py of v0.11). Those of lengths go on
// up to the model's greatest length.
var (
	firstTokenBounds = inSeconds(autoscaling.TimeToFirstTokenBounds)
	gapBounds        = inSeconds(autoscaling.InterTokenLatencyBounds)
	wholeBounds      = []float64{0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680}
	lengthBounds     = []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6}
)

func inSeconds(bounds []time.Duration) []float64 {
	all := make([]float64, len(bounds))
	for i, b := range bounds {
		all[i] = b.Seconds()
	}
	return all
}

// Bounds returns the finite upper bounds of a recording's histograms, by their newest names. A
// prediction has the same ones, so that its quantiles are estimated as the measured ones are.
func (r *Recording) Bounds() map[string][]float64 {
	bounds := map[string][]float64{}
	for _, f := range families {
		if !f.histogram {
			continue
		}
		var uppers []float64
		for _, s := range r.named(f.with("_bucket")) {
			if upper, err := strconv.ParseFloat(s.Labels[labelLE], 64); err == nil && !math.IsInf(upper, 0) && !math.IsNaN(upper) {
				uppers = append(uppers, upper)
			}
		}
		if len(uppers) > 0 {
			slices.Sort(uppers)
			bounds[f.names[0]] = slices.Compact(uppers)
		}
	}
	return bounds
}

// leText is a bound as Prometheus' clients for Python write it.
func leText(bound float64) string {
	text := strconv.FormatFloat(bound, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}
