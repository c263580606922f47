// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"fmt"
	"math"
)

// Speculation is speculative decoding, as vLLM does it. Whenever a request has a new token,
// Tokens more are drafted for it. Its next step computes that token and the drafts, and
// accepts drafts up to the first that is wrong: the request gets one token and the accepted
// drafts at once. Nothing is kept of the others but the places that they have in the KV
// cache.
type Speculation struct {
	// Tokens is how many tokens are drafted, at least 1.
	Tokens int
	// Lookahead is for how many tokens beyond those of a step requests that run have places
	// in the KV cache: Tokens where the drafts have KV of their own, 0 otherwise.
	Lookahead int
	// Acceptance is, by position, the share of all drafts that are accepted there, whatever
	// became of those before: from 1 to 0, not rising, one for each of Tokens.
	Acceptance []float64
}

// TokensPerStep is how many tokens a request that decodes gets in a step on average; 1
// without speculation.
func (s *Speculation) TokensPerStep() float64 {
	mean := 1.0
	if s != nil {
		for _, share := range s.Acceptance {
			mean += share
		}
	}
	return mean
}

// Drafts is how many drafts of a request a step verifies; 0 without speculation.
func (s *Speculation) Drafts() int {
	if s == nil {
		return 0
	}
	return s.Tokens
}

// Check panics where the rules of Speculation are broken.
func (s *Speculation) Check() {
	if s == nil {
		return
	}
	valid := s.Tokens >= 1 && s.Tokens <= math.MaxInt16 && s.Lookahead >= 0 && s.Lookahead <= s.Tokens && len(s.Acceptance) == s.Tokens
	last := 1.0
	for _, share := range s.Acceptance {
		valid = valid && share >= 0 && share <= last
		last = share
	}
	if !valid {
		panic(fmt.Sprintf("simulator: speculation %+v", *s))
	}
}
