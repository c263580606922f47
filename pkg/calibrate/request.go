// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"cmp"
	"slices"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Request is one measured request, by the engine's clock.
type Request struct {
	// Queued is when the engine put the request into its wait queue, since the
	// first request was; FirstToken and LastToken are when the ends of its
	// answer came out.
	Queued, FirstToken, LastToken simtime.Time
	// InputTokens and OutputTokens are at least 1.
	InputTokens, OutputTokens int
	// Blocks are the identities of the prompt's full blocks, of BlockTokens
	// tokens each: prompts share the leading blocks whose identities are
	// equal. None means that the prompt shares nothing.
	Blocks      []uint64
	BlockTokens int
}

// sorted orders requests by the time at which they were queued, which is what
// a replay needs, and counts times from the first one. Requests of one time
// stay in the order of the log.
func sorted(requests []Request) []Request {
	slices.SortStableFunc(requests, func(a, b Request) int { return cmp.Compare(a.Queued, b.Queued) })
	if len(requests) == 0 {
		return requests
	}
	start := requests[0].Queued
	for i := range requests {
		r := &requests[i]
		r.Queued -= start
		r.FirstToken -= start
		r.LastToken -= start
	}
	return requests
}

// NewRequest returns a request with times in seconds.
func NewRequest(queued, firstToken, lastToken float64, inputTokens, outputTokens int) Request {
	return Request{
		Queued: nanoseconds(queued), FirstToken: nanoseconds(firstToken), LastToken: nanoseconds(lastToken),
		InputTokens: inputTokens, OutputTokens: outputTokens,
	}
}
