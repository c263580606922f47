// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"math/bits"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// use is what a replica did since a point of time.
type use struct {
	since simtime.Time
	// settled is the time up to which the integral of used blocks stands.
	// The integral is in block·ns and may pass 2^64.
	settled  simtime.Time
	high     uint64
	low      uint64
	peakUsed int
	// evicted is the cache's own count as of since.
	evicted int64
	// lost is what a cache evicted that is gone.
	lost int64
	// blocks follows the used blocks through time; nil where nobody wants to know.
	blocks *gauge
	// worked is the time of all steps that have ended, whatever since is.
	worked time.Duration

	Busy                                     time.Duration
	Steps, Served, ServedTokens, Preemptions int64
}

// settle accounts for the blocks used up to now, before their number changes.
func (u *use) settle(now simtime.Time, used int) {
	high, low := bits.Mul64(uint64(used), uint64(now-u.settled))
	var carry uint64
	u.low, carry = bits.Add64(u.low, low, 0)
	u.high, _ = bits.Add64(u.high, high, carry)
	u.settled = now
	if g := u.blocks; g != nil {
		if now >= g.edge {
			g.cross(now, int64(used), 0, 0)
		}
		if now > g.settled {
			g.passOne(now, int64(used))
		}
	}
}

// changed records a new number of used blocks.
func (u *use) changed(now simtime.Time, before, after int) {
	u.settle(now, before)
	u.peakUsed = max(u.peakUsed, after)
}

// stepped records a step. Of one that was under way when the figures started
// afresh, only the rest counts as busy.
func (u *use) stepped(start, end simtime.Time) {
	u.Busy += end.Sub(max(start, u.since))
	u.worked += end.Sub(start)
	u.Steps++
}

// mean is the mean of the blocks in use over a span, of figures that are settled up
// to its end.
func (u *use) mean(span time.Duration) float64 {
	if span <= 0 {
		return 0
	}
	integral := float64(float64(u.high)*(1<<64)) + float64(u.low)
	return integral / float64(span)
}
