// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Client is one synthetic source of requests. Its prompts are the text of its
// prefix group, if it has one, followed by a part that no other prompt has,
// unless Prompts or Sessions say otherwise.
type Client struct {
	// Name identifies the client and names its random streams.
	Name string
	// Tenant and Class group requests in results; empty means DefaultLabel.
	Tenant, Class string
	// Priority is that of all of the client's requests: higher is more
	// important.
	Priority int
	// Arrivals say when requests come, in an open loop.
	Arrivals Arrivals
	// ClosedLoop, if set, has the place of Arrivals: requests come when others end.
	ClosedLoop *ClosedLoop
	// SharedArrivals, if set, says that the arrivals are those of all clients that have
	// the same, each of which gets some of the requests.
	SharedArrivals *SharedArrivals
	// FirstTokenTimeout and Timeout are how long the client waits for the first token
	// and for the last one; 0 is without end.
	FirstTokenTimeout, Timeout time.Duration
	// Input is the length of the prompt's own part, Output of the answer.
	Input, Output Lengths
	// PrefixGroup names the text that all clients of the group begin their
	// prompts with, and PrefixTokens is how much of it this client takes.
	PrefixGroup  string
	PrefixTokens int
	// Prompts, if set, are the prompts' own parts. Sessions, if set, make
	// requests turns of conversations. A client has one of them at most.
	Prompts  *Prompts
	Sessions *Sessions
	// Adapter names the LoRA adapter that requests ask for; empty is the base
	// model.
	Adapter string
	// Headers are what requests carry, by name.
	Headers map[string]string
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
	// RatePerSecond is the mean number of requests in a second; 0 where there are
	// Stages.
	RatePerSecond float64
	// Stages are rates that follow each other without a pause. No request comes
	// after the end of the last one.
	Stages []Stage
	// CV is the coefficient of variation of a Gamma process's gaps; 1 gives
	// Poisson arrivals, more gives bursts. Other processes do not use it.
	CV float64
}

// A Stage is a rate for a time.
type Stage struct {
	// RatePerSecond is the mean number of requests in a second; 0 is a pause.
	RatePerSecond float64
	Duration      time.Duration
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
	return int(min(tokens, float64(l.maximum())))
}

func (l Lengths) maximum() int {
	if l.Max == 0 {
		return MaxTokens
	}
	return l.Max
}
