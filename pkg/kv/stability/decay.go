// SPDX-License-Identifier: Apache-2.0

package stability

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// decay weighs events by their age: one that is t old counts exp(-t/window).
type decay struct {
	window time.Duration
	last   simtime.Time // that the sums are stated for
}

// since is what an event at t counts at the later time at.
func (d *decay) since(t, at simtime.Time) float64 {
	if at <= t {
		return 1
	}
	return stats.Exp(-windows(at.Sub(t), d.window))
}

// admit moves on to an event at a time. keep is what all sums are to be
// multiplied with, weight what the event then counts: less than 1 where it is
// told late, after younger ones.
func (d *decay) admit(at simtime.Time) (keep, weight float64) {
	if at < d.last {
		return 1, d.since(at, d.last)
	}
	keep = d.since(d.last, at)
	d.last = at
	return keep, 1
}

func windows(t, window time.Duration) float64 { return float64(t) / float64(window) }
