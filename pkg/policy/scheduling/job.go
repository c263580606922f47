// SPDX-License-Identifier: Apache-2.0

package scheduling

import "windtunnel.dev/windtunnel/pkg/simtime"

// Job is what an engine's scheduler may know of a waiting or a running request.
type Job struct {
	// Turn numbers the requests of one engine in order of their entry into its queue.
	// A preempted request keeps its turn.
	Turn int64
	// Arrival is when the request reached the gateway. Deadline is when its first token
	// is due there, by the TTFT target of its tenant and class; 0 if it has none.
	Arrival, Deadline simtime.Time
	// Tenant and Class are indices into the workload's labels.
	Tenant, Class int
	// Priority is the request's priority: higher is more important.
	Priority int
	// PromptTokens is the length of the prompt, cached tokens included.
	PromptTokens int
	// PredictedTokens is the length of the answer as the scheduler's Predictor guesses
	// it; 0 without one.
	PredictedTokens int
	// ComputedTokens is the number of tokens of a running request in the KV cache, and
	// Blocks the number of KV blocks that it holds; both 0 of a waiting one.
	ComputedTokens, Blocks int
}
