// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/kvindex"
)

// A Believer keeps an index of what endpoints' caches hold.
type Believer interface {
	// Believed returns how many tokens of the prompt of a cycle, counted as the index
	// sees the prompt, an endpoint is believed to hold; false where the index was not
	// asked in the cycle.
	Believed(c *Cycle, endpoint int) (tokens int, asked bool)
}

// A Forgetter is a Believer whose index has room for a number of tokens of each endpoint.
type Forgetter interface {
	// Full returns the tokens that the index holds of an endpoint, if it is full; else 0.
	Full(endpoint int) int
}

// FullIndexes implements [policy.PrefixIndexer].
func (s *Scheduler) FullIndexes() []int {
	full := make([]int, s.Endpoints)
	if index, ok := s.believer.(Forgetter); ok {
		for e := range full {
			full[e] = index.Full(e)
		}
	}
	return full
}

// believe registers an index. Of several the first counts that hears of caches, or else
// the first.
func (b *Builder) believe(x Believer) {
	if b.believer == nil || hearsOfCaches(x) && !hearsOfCaches(b.believer) {
		b.believer = x
	}
}

func hearsOfCaches(x Believer) bool {
	_, hears := x.(kvindex.Digester)
	return hears
}

// belief is what an index has of the request at the endpoint that computes its prompt.
func (s *Scheduler) belief(c *Cycle, endpoint int) policy.Belief {
	if s.believer == nil {
		return policy.Belief{}
	}
	tokens, asked := s.believer.Believed(c, endpoint)
	if !asked {
		return policy.Belief{}
	}
	if c.Tokens > 0 && c.Tokens != c.PromptTokens {
		tokens = int(int64(tokens) * int64(c.PromptTokens) / int64(c.Tokens))
	}
	return policy.Believing(min(tokens, c.PromptTokens))
}
