// SPDX-License-Identifier: Apache-2.0

package workload

import "windtunnel.dev/windtunnel/pkg/stats"

// Prompts are a fixed set of own parts that a client sends again and again, as
// load generators do that make their prompts beforehand.
type Prompts struct {
	// Count is how many there are.
	Count int
	// Order is the order in which they are sent.
	Order Order
}

// prompts is a set of Prompts in use.
type prompts struct {
	spec   Prompts
	stream *stats.Stream // of a Random order
	next   int
	tokens []int32 // of those that have been drawn: the first ones
}

func newPrompts(spec *Prompts, stream func(string) *stats.Stream) *prompts {
	if spec == nil {
		return nil
	}
	return &prompts{spec: *spec, stream: stream("prompts")}
}

// nextPrompt returns the number of the next prompt and its length, which draw draws
// for one after the other.
func (p *prompts) nextPrompt(draw func() int) (number int, tokens int32) {
	if p.spec.Order == Random {
		number = p.stream.IntN(p.spec.Count)
	} else {
		number = p.next
		if p.next++; p.next == p.spec.Count {
			p.next = 0
		}
	}
	for number >= len(p.tokens) {
		p.tokens = append(p.tokens, int32(draw()))
	}
	return number, p.tokens[number]
}
