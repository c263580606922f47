// SPDX-License-Identifier: Apache-2.0

package request

// Milestone is how far a request came at most with the replica that serves it. A preemption
// does not undo it; another replica begins anew.
type Milestone uint8

// The milestones, in their order.
const (
	Sent      Milestone = iota // it was sent to the replica
	HadBlocks                  // it has had KV blocks there
	Ran                        // it has been in the batch
	GaveToken                  // the replica has given a token of the answer
)

// Reach notes that the request has come so far, and reports whether it does for the first
// time.
func (q *Request) Reach(m Milestone) bool {
	first := q.Reached < m
	if first {
		q.Reached = m
	}
	return first
}
