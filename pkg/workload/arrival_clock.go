// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// arrivalClock is the arrivals of one process, one after the other.
type arrivalClock struct {
	arrivals Arrivals
	stream   *stats.Stream
	gapNs    float64 // mean
	count    float64 // arrivals so far; whole
	at       simtime.Time
	stages   *stageClock // nil where there is one rate
}

func newArrivalClock(a Arrivals, stream *stats.Stream) arrivalClock {
	c := arrivalClock{arrivals: a, stream: stream}
	if len(a.Stages) > 0 {
		// In units of what the rate expects, gaps have a mean of 1.
		c.gapNs, c.stages = 1, &stageClock{stages: a.Stages}
		return c
	}
	c.gapNs = 1e9 / a.RatePerSecond
	return c
}

// next returns the next arrival, at most maxTime.
func (c *arrivalClock) next() simtime.Time {
	if c.stages != nil {
		c.at = c.stages.timeOf(c.nextExpected())
		return c.at
	}
	c.count++
	if c.arrivals.Process == Constant {
		// Counted from the start, so that a rounded gap does not add up.
		c.at = roundNs(c.count * c.gapNs)
		return c.at
	}
	c.advance(c.gap())
	return c.at
}

// nextExpected returns how many requests the rates expect until the next arrival.
func (c *arrivalClock) nextExpected() float64 {
	if c.arrivals.Process == Constant {
		c.count++
	} else {
		c.count += c.gap()
	}
	return c.count
}

// gap draws the time to the next arrival, in units of gapNs being 1 ns.
func (c *arrivalClock) gap() float64 {
	if c.arrivals.Process == Gamma {
		shape := 1 / (c.arrivals.CV * c.arrivals.CV)
		return c.stream.Gamma(shape) / shape * c.gapNs
	}
	return c.stream.Exponential() * c.gapNs
}

func (c *arrivalClock) advance(gapNs float64) {
	gap := roundNs(gapNs)
	if gap > maxTime-c.at {
		gap = maxTime - c.at
	}
	c.at += gap
}

// roundNs returns the nearest whole ns, at most maxTime.
func roundNs(ns float64) simtime.Time {
	if !(ns < float64(maxTime)) {
		return maxTime
	}
	return simtime.Time(math.Round(ns))
}

// stageClock finds times in stages. A process with rates that change is one of rate 1 whose
// time is the number of requests that the rates expect: of a Poisson process
// that makes one with the rates of the stages.
type stageClock struct {
	stages         []Stage      // those to come, the one under way first
	start          simtime.Time // of the stage under way
	expectedBefore float64      // what the stages before it expect
}

// timeOf returns when the rates expect so many requests, maxTime where they never
// do. Calls are in ascending order.
func (l *stageClock) timeOf(expected float64) simtime.Time {
	for ; len(l.stages) > 0; l.stages = l.stages[1:] {
		stage := &l.stages[0]
		end := l.start.Add(stage.Duration)
		if stage.RatePerSecond > 0 {
			// To the nearest ns, so that what falls on the end is not lost.
			at := l.start + roundNs((expected-l.expectedBefore)/stage.RatePerSecond*1e9)
			if at <= end {
				return at
			}
			l.expectedBefore += float64(stage.RatePerSecond * stage.Duration.Seconds())
		}
		l.start = end
	}
	return maxTime
}
