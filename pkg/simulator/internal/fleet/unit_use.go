// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// unitFigures are a unit's figures as they grow.
type unitFigures struct {
	simulator.UnitUse
	last        int // the sign of the last change
	settled     simtime.Time
	first, then int // replicas that serve, of two pools
	ratio       float64
	drift       float64 // integral in ns
	// seen is what the last scrape had of the gateway, and metAt is when the targets were
	// met last.
	seen          autoscaling.Gateway
	metAt, looked simtime.Time
	known         time.Duration
}

// start begins the figures of a unit of some pools, of which replicas serve.
func (f *unitFigures) start(pools []int, serving [2]int) {
	f.Pools = pools
	f.entered(serving)
	if f.then > 0 {
		f.ratio = float64(f.first) / float64(f.then)
	}
}

// decided counts a decision.
func (f *unitFigures) decided(was, wanted []int) {
	change, total := wanted[0]-was[0], 0
	for k := range was {
		total += wanted[k] - was[k]
	}
	if total != 0 {
		change = total
	}
	sign := 0
	switch {
	case change > 0:
		sign = 1
		f.Ups++
	case change < 0:
		sign = -1
		f.Downs++
	default:
		return
	}
	if f.last == -sign {
		f.Reversals++
	}
	f.last = sign
}

// settle accounts for the time up to now, before a replica comes into another stage.
func (f *unitFigures) settle(now, measuredFrom simtime.Time) {
	span := now.Sub(max(f.settled, measuredFrom))
	f.settled = now
	if len(f.Pools) < 2 || f.ratio == 0 || f.first == 0 || f.then == 0 {
		return
	}
	off := float64(float64(f.first)/float64(f.then))/f.ratio - 1
	f.drift += float64(max(off, -off) * float64(span))
	f.known += span
}

// entered notes how many replicas serve after one has come into another stage.
func (f *unitFigures) entered(serving [2]int) { f.first, f.then = serving[0], serving[1] }

// restart begins the figures anew, at a time up to which they are settled.
func (f *unitFigures) restart(at simtime.Time) {
	*f = unitFigures{UnitUse: simulator.UnitUse{Pools: f.Pools}, last: f.last, settled: f.settled, first: f.first, then: f.then, ratio: f.ratio,
		seen: f.seen, metAt: at, looked: at}
}

// report returns the figures, which are settled.
func (f *unitFigures) report() simulator.UnitUse {
	use := f.UnitUse
	if f.known > 0 {
		use.RatioDrift = f.drift / float64(f.known)
	}
	return use
}

// scraped looks at whether the requests that have ended since the last scrape met their
// targets.
func (f *unitFigures) scraped(now simtime.Time, g *autoscaling.Gateway) {
	ended, good := g.Ended-f.seen.Ended, g.Good-f.seen.Good
	f.seen = *g
	switch {
	case ended == 0 && f.metAt == f.looked, float64(good) >= simulator.RecoveredShare*float64(ended) && ended > 0:
		f.metAt = now
	default:
		f.LongestMiss = max(f.LongestMiss, now.Sub(f.metAt))
	}
	f.looked = now
}
