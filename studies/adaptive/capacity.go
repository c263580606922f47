// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"math"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// grows is the share of what arrives by which the backlog grows of a cluster that does not
// keep up.
const grows = 0.05

// capacity is the greatest rate that round robin keeps up with, without a gate and to a
// precision of 1 %: at a greater rate the backlog grows with confidence.
func capacity(ctx context.Context, sample *v1alpha1.SimulationRun, s *scale, model v1alpha1.LatencyModel) (float64, error) {
	keepsUp := func(rate float64) (bool, error) {
		m, err := measure(ctx, sample, s.seeds, roundRobin.edit, under(model), atRate(rate), lasting(s.capacityRun))
		if err != nil {
			return false, err
		}
		return stats.LowerBound(m.values("backlogGrowth"), confidence) <= grows, nil
	}
	low, high := 100.0, 200.0
	for {
		ok, err := keepsUp(high)
		if err != nil {
			return 0, err
		}
		if !ok {
			break
		}
		low, high = high, 2*high
	}
	for high > 1.01*low {
		middle := math.Sqrt(low * high)
		ok, err := keepsUp(middle)
		if err != nil {
			return 0, err
		}
		if ok {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Floor(low), nil
}
