// SPDX-License-Identifier: Apache-2.0

// Package due orders the requests of a source that come at a known time.
package due

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// MaxTime bounds arrivals, so that a simulator may add durations to one
// without overflow. It is 146 years after the start.
const MaxTime simtime.Time = 1 << 62

// After returns a time so much later than another: at least 1 ns, at most MaxTime.
func After(at simtime.Time, d time.Duration) simtime.Time {
	if gap := simtime.Time(max(d, 1)); gap < MaxTime-at {
		return at + gap
	}
	return MaxTime
}
