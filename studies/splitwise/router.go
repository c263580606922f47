// SPDX-License-Identifier: Apache-2.0

package main

import (
	"windtunnel.dev/windtunnel/pkg/policy"
)

// shortestQueue sends a request where the fewest tokens wait, as Splitwise does.
// Of those that compute prompts it takes the one with the fewest prompt tokens
// whose first token the gateway has not seen, a request in decode counting as one
// token; of those that only decode the one with the fewest requests. Ties go to
// the lowest endpoint.
//
// Endpoints 0 to prefill-1 compute prompts for the others; where prefill is 0
// each serves its own.
type shortestQueue struct {
	prefill int
	// tokens and requests are by endpoint: prompt tokens without a first token,
	// and requests that are not finished.
	tokens, requests []int
	// computing is the endpoint that computes a request's prompt, by its ID.
	computing map[int]int
}

func newShortestQueue(machines, prefill int) *shortestQueue {
	return &shortestQueue{
		prefill: prefill, tokens: make([]int, machines), requests: make([]int, machines), computing: map[int]int{},
	}
}

// Route implements [policy.Router].
func (s *shortestQueue) Route(_ *policy.View, q *policy.Request) (policy.Route, error) {
	decision := policy.To(s.least(s.prefill, len(s.requests)))
	prompt := decision.Endpoint
	if s.prefill > 0 {
		prompt = s.least(0, s.prefill)
		decision.Prefill = prompt
	}
	s.computing[q.ID] = prompt
	s.tokens[prompt] += q.Tokens
	s.requests[decision.Endpoint]++
	return decision, nil
}

// least returns the endpoint from first to before end with the fewest tokens and
// requests.
func (s *shortestQueue) least(first, end int) int {
	best := first
	for i := first; i < end; i++ {
		if s.tokens[i]+s.requests[i] < s.tokens[best]+s.requests[best] {
			best = i
		}
	}
	return best
}

// routing has the queue hear of first tokens and ends.
func (s *shortestQueue) routing() policy.Routing { return policy.Routing{Router: s, Responses: s} }

// FirstToken implements [policy.ResponseListener].
func (s *shortestQueue) FirstToken(q *policy.Request, _ int) {
	s.tokens[s.computing[q.ID]] -= q.Tokens
	delete(s.computing, q.ID)
}

// Finished implements [policy.ResponseListener].
func (s *shortestQueue) Finished(_ *policy.Request, endpoint int) { s.requests[endpoint]-- }
