// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// cooldowns hold changes back that follow others too soon.
type cooldowns struct {
	// out holds a scale-out back after a scale-out, in a scale-in after a scale-in, and
	// inAfterOut a scale-in after a scale-out. A scale-in holds no scale-out back.
	out, in, inAfterOut time.Duration
	// lastOut and lastIn are when the last ones were.
	lastOut, lastIn simtime.Time
}

// longAgo is a time before which nothing has happened that still counts.
const longAgo = simtime.Time(math.MinInt64 / 2)

func newCooldowns(out, in, inAfterOut time.Duration) cooldowns {
	return cooldowns{out, in, inAfterOut, longAgo, longAgo}
}

// readCooldowns reads those of policies where a scale-in waits as long after a scale-out
// as after a scale-in.
func readCooldowns(l *loader, out, in time.Duration) cooldowns {
	out = l.Delay("scaleOutCooldown", out, "how long after a scale-out there is no other one")
	in = l.Delay("scaleInCooldown", in, "how long after a change of the replicas there is no scale-in")
	return newCooldowns(out, in, in)
}

// until returns when a change may be: in the past where it may be now.
func (c *cooldowns) until(out bool) simtime.Time {
	if out {
		return c.lastOut.Add(c.out)
	}
	return max(c.lastIn.Add(c.in), c.lastOut.Add(c.inAfterOut))
}

// changed notes a change.
func (c *cooldowns) changed(now simtime.Time, out bool) {
	if out {
		c.lastOut = now
	} else {
		c.lastIn = now
	}
}
