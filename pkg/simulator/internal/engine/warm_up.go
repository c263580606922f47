// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// warmUpRate is how many time constants an exponential warm-up lasts.
const warmUpRate = 5

// slowed returns how long a step takes that begins at an age of its replica.
func slowed(w *simulator.WarmUp, step, age time.Duration) time.Duration {
	if age >= w.Duration {
		return step
	}
	passed := float64(age) / float64(w.Duration)
	left := 1.0
	switch w.Curve {
	case simulator.LinearWarmUp:
		left = 1 - passed
	case simulator.ExponentialWarmUp:
		end := stats.Exp(-warmUpRate)
		left = (stats.Exp(float64(-warmUpRate*passed)) - end) / (1 - end)
	}
	factor := 1 + float64((w.Penalty-1)*left)
	return time.Duration(math.Round(float64(factor * float64(step))))
}
