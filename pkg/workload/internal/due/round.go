// SPDX-License-Identifier: Apache-2.0

package due

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// RoundNs returns the nearest whole ns, at most MaxTime.
func RoundNs(ns float64) simtime.Time {
	if !(ns < float64(MaxTime)) {
		return MaxTime
	}
	return simtime.Time(math.Round(ns))
}
