// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"math/bits"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Use is what a replica did since a point of time.
type Use struct {
	Since simtime.Time
	// Settled is the time up to which the integral of used blocks stands.
	// The integral is in block·ns and may pass 2^64.
	Settled  simtime.Time
	High     uint64
	Low      uint64
	PeakUsed int
	// Evicted is the cache's own count as of since.
	Evicted int64
	// Lost is what a cache evicted that is gone.
	Lost int64
	// Blocks follows the used blocks through time; nil if it is not needed.
	Blocks *gauge
	// Worked is the time of all steps that have ended, whatever since is.
	Worked time.Duration

	Busy                                     time.Duration
	Steps, Served, ServedTokens, Preemptions int64
}

// Settle accounts for the blocks used up to now, before their number changes.
func (u *Use) Settle(now simtime.Time, used int) {
	high, low := bits.Mul64(uint64(used), uint64(now-u.Settled))
	var carry uint64
	u.Low, carry = bits.Add64(u.Low, low, 0)
	u.High, _ = bits.Add64(u.High, high, carry)
	u.Settled = now
	if g := u.Blocks; g != nil {
		if now >= g.edge {
			g.cross(now, int64(used), 0, 0)
		}
		if now > g.settled {
			g.passOne(now, int64(used))
		}
	}
}

// Changed records a new number of used blocks.
func (u *Use) Changed(now simtime.Time, before, after int) {
	u.Settle(now, before)
	u.PeakUsed = max(u.PeakUsed, after)
}

// Stepped records a step. Of one that was under way when the figures started
// afresh, only the rest counts as busy.
func (u *Use) Stepped(start, end simtime.Time) {
	u.Busy += end.Sub(max(start, u.Since))
	u.Worked += end.Sub(start)
	u.Steps++
}

// Mean is the mean of the blocks in use over a span, of figures that are settled up
// to its end.
func (u *Use) Mean(span time.Duration) float64 {
	if span <= 0 {
		return 0
	}
	integral := float64(float64(u.High)*(1<<64)) + float64(u.Low)
	return integral / float64(span)
}
