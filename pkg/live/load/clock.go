// SPDX-License-Identifier: Apache-2.0

package load

import (
	"math"
	"time"

	"k8s.io/utils/clock"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// runClock is the time of the workload on the clock of the machine.
type runClock struct {
	clock.RealClock
	start time.Time
	speed float64
}

// now is the time of the workload.
func (c runClock) now() simtime.Time {
	return simtime.Time(math.Round(float64(c.Since(c.start)) * c.speed))
}

// wall is how long a duration of the workload takes.
func (c runClock) wall(d time.Duration) time.Duration {
	return time.Duration(math.Round(float64(d) / c.speed))
}

// until is a channel that says when a time of the workload has come; nil is never.
func (c runClock) until(at simtime.Time) (come <-chan time.Time, stop func() bool) {
	if at == simtime.Never {
		return nil, func() bool { return true }
	}
	timer := c.NewTimer(c.wall(at.Sub(c.now())))
	return timer.C(), timer.Stop
}
