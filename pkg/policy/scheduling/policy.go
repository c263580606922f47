// SPDX-License-Identifier: Apache-2.0

package scheduling

// Job is what an engine's scheduler may know of a waiting or a running request.
type Job struct {
	// PromptTokens is the length of the prompt, cached tokens included.
	PromptTokens int
	// Priority is the request's priority: higher is more important.
	Priority int
}

// Policy orders the requests of one engine. It keeps no state, so that any
// number of engines may share it, and concurrently.
type Policy interface {
	// Rank orders the wait queue: the lowest rank first, equal ones in order
	// of arrival at the engine. A job's rank never changes.
	Rank(Job) int64
	// PreemptsByRank says who gives way where blocks run out: the running
	// request of the highest rank, the latest arrival among equals; otherwise
	// the one that was admitted last.
	PreemptsByRank() bool
}
