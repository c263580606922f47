// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"math"
	"time"

	wall "k8s.io/utils/clock"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// clock has simulated time pass with a wall clock's, speed times as fast.
type clock struct {
	wall.RealClock
	start time.Time
	speed float64
}

// now is the simulated time, to the next nanosecond: a wait that until gave gets there.
func (c clock) now() simtime.Time {
	return simtime.Time(math.Round(float64(c.Since(c.start)) * c.speed))
}

// until is how long the wall clock takes to get to a simulated time; negative if it has passed.
func (c clock) until(at simtime.Time) time.Duration {
	return time.Duration(math.Ceil(float64(at)/c.speed)) - c.Since(c.start)
}
