// SPDX-License-Identifier: Apache-2.0

package arrival

import (
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload/internal/due"
)

// Clock is the arrivals of one process, one after the other.
type Clock struct {
	stream *stats.Stream
	gaps   gapLaw  // of a process with independent gaps; else nil
	points points  // of other processes
	gapNs  float64 // mean
	gap    float64 // the last one, of a process with independent gaps; the mean is 1
	count  float64 // requests that the rates expect up to the last arrival
	at     simtime.Time
	stages *stageClock // nil where there is one rate
}

// points are a process whose gaps depend on each other.
type points interface {
	// next returns the next arrival, in requests expected. They do not descend.
	next() float64
}

// NewClock returns the arrivals of a, drawn from the stream. The arrivals are valid.
func NewClock(a Arrivals, stream *stats.Stream) Clock {
	c := Clock{stream: stream, gaps: renewal(&a)}
	switch a.Process {
	case Constant:
		c.points = &periodic{}
	case Periodic:
		c.points = &periodic{jitter: a.Jitter, stream: stream}
	case MMPP:
		c.points = newMMPP(&a, stream)
	}
	switch {
	case len(a.Stages) > 0:
		c.stages = &stageClock{stages: a.Stages}
	case a.Profile != nil:
		once, again := a.Profile.pieces(a.RatePerSecond)
		c.stages = &stageClock{stages: once, again: again}
	default:
		c.gapNs = 1e9 / a.RatePerSecond
	}
	return c
}

// Next returns the next arrival, at most due.MaxTime.
func (c *Clock) Next() simtime.Time {
	switch {
	case c.stages != nil:
		c.at = c.stages.timeOf(c.nextExpected())
	case c.points != nil:
		// Counted from the start, so that a rounded gap does not add up.
		c.at = due.RoundNs(c.nextExpected() * c.gapNs)
	default:
		c.gap = c.gaps.Sample(c.stream)
		c.advance(c.gap * c.gapNs)
	}
	return c.at
}

// nextExpected returns how many requests the rates expect until the next arrival.
func (c *Clock) nextExpected() float64 {
	if c.points != nil {
		c.count = c.points.next()
	} else {
		c.gap = c.gaps.Sample(c.stream)
		c.count += c.gap
	}
	return c.count
}

func (c *Clock) advance(gapNs float64) {
	gap := due.RoundNs(gapNs)
	if gap > due.MaxTime-c.at {
		gap = due.MaxTime - c.at
	}
	c.at += gap
}
