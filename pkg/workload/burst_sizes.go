// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload/arrival"
)

// burstCandidates is how many lengths one is chosen of. A choice of n gives a rank correlation
// of 1 - 1/n at most.
const burstCandidates = 32

// burstSizes couple the lengths of prompts with how dense arrivals are. With a probability that
// gives the correlation, a prompt has the length of a rank among several that are drawn: the
// denser arrivals are, the longer. Each rank has the same probability, so the lengths keep their
// distribution, whatever it is.
type burstSizes struct {
	stream      *stats.Stream
	probability float64
	inverse     bool // prompts are shorter where arrivals are dense
}

// newBurstSizes returns the coupling of a client, or of copies that share their arrivals; nil
// without one.
func newBurstSizes(c *Client, seed int64) *burstSizes {
	rho := c.Arrivals.SizeCorrelation
	if rho == 0 {
		return nil
	}
	const greatest = 1 - 1./burstCandidates
	b := &burstSizes{stream: stats.NewStream(seed, "workload/burst sizes/"+c.Name), inverse: rho < 0}
	b.probability = min(1, max(rho, -rho)/greatest)
	return b
}

// choice is which of several lengths the next prompt takes. The zero choice takes the one that
// is drawn.
type choice struct {
	stream *stats.Stream
	rank   int
}

// choose returns what the last arrival of a clock chooses.
func (b *burstSizes) choose(clock *arrival.Clock) choice {
	if b == nil || !happens(b.probability, b.stream) {
		return choice{}
	}
	rank := min(int(burstCandidates*clock.Density(b.stream)), burstCandidates-1)
	if b.inverse {
		rank = burstCandidates - 1 - rank
	}
	return choice{b.stream, rank}
}

// of returns the chosen one of a drawn length and others.
func (c choice) of(drawn float64, d stats.Distribution) float64 {
	if c.stream == nil {
		return drawn
	}
	candidates := [burstCandidates]float64{drawn}
	for i := range candidates[1:] {
		candidates[1+i] = d.Sample(c.stream)
	}
	slices.Sort(candidates[:])
	return candidates[c.rank]
}

// validateBurstSizes returns what keeps lengths from being coupled with arrivals.
func (c *Client) validateBurstSizes(path *field.Path) field.ErrorList {
	if c.Arrivals.SizeCorrelation == 0 {
		return nil
	}
	if c.Prompts != nil {
		return field.ErrorList{field.Forbidden(path, "prompts are fixed: their lengths do not depend on when they are sent")}
	}
	if _, constant := c.Input.Distribution.(stats.Constant); constant {
		return field.ErrorList{field.Forbidden(path, "inputTokens is Constant: all prompts have one length")}
	}
	return nil
}
