// SPDX-License-Identifier: Apache-2.0

package stability

import (
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// rate estimates how often events come from a sum of them in which one that is
// t old counts exp(-t/T):
//
//	r ← r·exp(-Δt/T) + 1/T
//
// The mean of r is the rate for any stationary arrivals, bursts at one instant
// included, since events are counted and not the gaps between them. Time t
// after the start r has only seen the share 1-exp(-t/T) of what it will, and is
// divided by that.
type rate struct {
	decay
	start  simtime.Time
	events float64 // each as much as it counts at last
}

func newRate(window time.Duration, start simtime.Time) rate {
	return rate{decay: decay{window: window, last: start}, start: start}
}

func (r *rate) add(at simtime.Time) {
	keep, weight := r.admit(at)
	r.events = float64(r.events*keep) + weight
}

// perSecond returns the rate at a time, and its relative standard error where
// events are a Poisson process; both are 0 before anything was seen. The rate
// has no bias at times that do not depend on the events.
func (r *rate) perSecond(at simtime.Time) (perSecond, relativeError float64) {
	at = max(at, r.last)
	seen := decayed(windows(at.Sub(r.start), r.window))
	events := r.events * r.since(r.last, at)
	if seen <= 0 || events <= 0 {
		return 0, 0
	}
	// Weights exp(-t/T) have the sum T·seen and squares of the sum
	// T/2·seen·(2-seen).
	mean := events / seen
	return mean / r.window.Seconds(), math.Sqrt((2 - seen) / (2 * seen * mean))
}

// decayed returns 1-exp(-x) for x >= 0.
func decayed(x float64) float64 {
	if x < 1e-6 {
		return x - float64(x*x/2)
	}
	return 1 - stats.Exp(-x)
}
