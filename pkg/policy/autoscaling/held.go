// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// held lets a trigger fire when what it looks at has lasted for a time, and not again
// before a pause.
type held struct {
	hold, pause time.Duration
	// state is what holds, 0 for nothing, and since from when on.
	state       int
	since, last simtime.Time
}

func readHeld(l *loader) held {
	return held{
		hold:  l.Delay("for", 0, "how long it must last before the trigger fires"),
		pause: l.Delay("pause", time.Minute, "how long after it has fired the trigger does not fire again"),
		last:  longAgo,
	}
}

// fires reports whether the trigger fires now that something holds, and notes it.
func (h *held) fires(now simtime.Time, state int) bool {
	if state != h.state {
		h.state, h.since = state, now
	}
	if state == 0 || h.since.Add(h.hold) > now || h.last.Add(h.pause) > now {
		return false
	}
	h.last = now
	return true
}

// either is 1 if a condition holds.
func either(condition bool) int {
	if condition {
		return 1
	}
	return 0
}
