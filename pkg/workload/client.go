// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// Client is one synthetic source of requests. Its prompts are the text of its
// prefix group, if it has one, followed by a part that no other prompt has.
type Client struct {
	// Name identifies the client and names its random streams.
	Name string
	// Tenant and Class group requests in results; empty means DefaultLabel.
	Tenant, Class string
	// Priority is that of all of the client's requests: higher is more
	// important.
	Priority int
	// Arrivals say when requests come.
	Arrivals Arrivals
	// Input is the length of the prompt's own part, Output of the answer.
	Input, Output Lengths
	// PrefixGroup names the text that all clients of the group begin their
	// prompts with, and PrefixTokens is how much of it this client takes.
	PrefixGroup  string
	PrefixTokens int
}

// ArrivalProcess is a random process of arrivals.
type ArrivalProcess string

const (
	// Poisson arrivals have exponential gaps.
	Poisson ArrivalProcess = "Poisson"
	// Constant arrivals have equal gaps.
	Constant ArrivalProcess = "Constant"
	// Gamma arrivals have gamma-distributed gaps of a given CV.
	Gamma ArrivalProcess = "Gamma"
)

// Arrivals say when a client's requests come. The first one comes a gap after
// the start.
type Arrivals struct {
	Process ArrivalProcess
	// RatePerSecond is the mean number of requests in a second.
	RatePerSecond float64
	// CV is the coefficient of variation of a Gamma process's gaps; 1 gives
	// Poisson arrivals, more gives bursts. Other processes do not use it.
	CV float64
}

// Lengths is a distribution of token counts.
type Lengths struct {
	Distribution stats.Distribution
	// Min and Max clamp what was drawn and rounded to the nearest integer.
	// Max 0 means MaxTokens.
	Min, Max int
}

// draw returns a length.
func (l Lengths) draw(s *stats.Stream) int {
	tokens := math.Round(l.Distribution.Sample(s))
	if !(tokens > float64(l.Min)) {
		return l.Min
	}
	return int(min(tokens, float64(l.greatest())))
}

func (l Lengths) greatest() int {
	if l.Max == 0 {
		return MaxTokens
	}
	return l.Max
}

// clock is the arrivals of one client, one after the other.
type clock struct {
	arrivals Arrivals
	stream   *stats.Stream
	gapNs    float64 // mean
	count    float64 // arrivals so far; whole
	at       simtime.Time
}

// tick returns the next arrival, at most latest.
func (c *clock) tick() simtime.Time {
	c.count++
	switch c.arrivals.Process {
	case Constant:
		// Counted from the start, so that a rounded gap does not add up.
		c.at = round(c.count * c.gapNs)
		return c.at
	case Gamma:
		shape := 1 / (c.arrivals.CV * c.arrivals.CV)
		c.advance(c.stream.Gamma(shape) / shape * c.gapNs)
	default:
		c.advance(c.stream.Exponential() * c.gapNs)
	}
	return c.at
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
