// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload/arrival"
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
	// Copies, if set, make the client stand for many.
	Copies *Copies
	// FirstTokenTimeout and Timeout are how long the client waits for the first token
	// and for the last one; 0 is without end.
	FirstTokenTimeout, Timeout time.Duration
	// Input is the length of the prompt's own part, Output of the answer.
	Input, Output Lengths
	// LengthCV is the coefficient of variation of a factor, drawn once for each copy, by
	// which the lengths that Input and Output draw are multiplied. Its mean is 1.
	LengthCV float64
	// Reasoning, if set, is generated before the answer.
	Reasoning *Reasoning
	// Media are in front of the prompt's own part.
	Media []Media
	// PrefixGroup names the text that all clients of the group begin their
	// prompts with, and PrefixTokens is how much of it this client takes.
	PrefixGroup  string
	PrefixTokens int
	// PrefixGroups, if set, make the group several texts. Examples, if set, are behind
	// the prefix.
	PrefixGroups *PrefixGroups
	Examples     *Examples
	// Prompts, if set, are the prompts' own parts. Sessions, if set, make
	// requests turns of conversations. A client has one of them at most.
	Prompts  *Prompts
	Sessions *Sessions
	// Model names the base model that requests ask for; empty where the workload has
	// one.
	Model string
	// Adapter names the LoRA adapter that requests ask for; empty is the base
	// model.
	Adapter string
	// Headers are what requests carry, by name.
	Headers map[string]string
}

// The types of package arrival, under the names that clients are written with.
type (
	// ArrivalProcess is a random process of arrivals.
	ArrivalProcess = arrival.Process
	// Arrivals say when a client's requests come.
	Arrivals = arrival.Arrivals
	// A Stage is a rate for a time.
	Stage = arrival.Stage
)

// The arrival processes that take no more than a rate and a CV.
const (
	Poisson  = arrival.Poisson
	Constant = arrival.Constant
	Gamma    = arrival.Gamma
)

// Lengths is a distribution of token counts.
type Lengths struct {
	Distribution stats.Distribution
	// Min and Max clamp what was drawn and rounded to the nearest integer.
	// Max 0 means MaxTokens.
	Min, Max int
}

// draw returns a length.
func (l Lengths) draw(s *stats.Stream) int { return l.clamp(l.Distribution.Sample(s)) }

// clamp returns the length of what was drawn.
func (l Lengths) clamp(tokens float64) int {
	tokens = math.Round(tokens)
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
