// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// clock is the arrivals of one process, one after the other.
type clock struct {
	arrivals Arrivals
	stream   *stats.Stream
	gapNs    float64 // mean
	count    float64 // arrivals so far; whole
	at       simtime.Time
	ladder   *ladder // nil where there is one rate
}

func newClock(a Arrivals, stream *stats.Stream) clock {
	c := clock{arrivals: a, stream: stream}
	if len(a.Stages) > 0 {
		// In units of what the rate expects, gaps have a mean of 1.
		c.gapNs, c.ladder = 1, &ladder{stages: a.Stages}
		return c
	}
	c.gapNs = 1e9 / a.RatePerSecond
	return c
}

// tick returns the next arrival, at most latest.
func (c *clock) tick() simtime.Time {
	if c.ladder != nil {
		c.at = c.ladder.climb(c.expected())
		return c.at
	}
	c.count++
	if c.arrivals.Process == Constant {
		// Counted from the start, so that a rounded gap does not add up.
		c.at = round(c.count * c.gapNs)
		return c.at
	}
	c.advance(c.gap())
	return c.at
}

// expected returns how many requests the rates expect until the next arrival.
func (c *clock) expected() float64 {
	if c.arrivals.Process == Constant {
		c.count++
	} else {
		c.count += c.gap()
	}
	return c.count
}

// gap draws the time to the next arrival, in units of gapNs being 1 ns.
func (c *clock) gap() float64 {
	if c.arrivals.Process == Gamma {
		shape := 1 / (c.arrivals.CV * c.arrivals.CV)
		return c.stream.Gamma(shape) / shape * c.gapNs
	}
	return c.stream.Exponential() * c.gapNs
}

func (c *clock) advance(gapNs float64) {
	gap := round(gapNs)
	if gap > latest-c.at {
		gap = latest - c.at
	}
	c.at += gap
}

// round returns the nearest whole ns, at most latest.
func round(ns float64) simtime.Time {
	if !(ns < float64(latest)) {
		return latest
	}
	return simtime.Time(math.Round(ns))
}

// ladder climbs stages. A process with rates that change is one of rate 1 whose
// time is the number of requests that the rates expect: of a Poisson process
// that makes one with the rates of the stages.
type ladder struct {
	stages []Stage      // those to come, the one under way first
	start  simtime.Time // of the stage under way
	before float64      // what the stages before it expect
}

// climb returns when the rates expect so many requests, latest where they never
// do. Calls are in ascending order.
func (l *ladder) climb(expected float64) simtime.Time {
	for ; len(l.stages) > 0; l.stages = l.stages[1:] {
		stage := &l.stages[0]
		end := l.start.Add(stage.Duration)
		if stage.RatePerSecond > 0 {
			// To the nearest ns, so that what falls on the end is not lost.
			at := l.start + round((expected-l.before)/stage.RatePerSecond*1e9)
			if at <= end {
				return at
			}
			l.before += float64(stage.RatePerSecond * stage.Duration.Seconds())
		}
		l.start = end
	}
	return latest
}
