// SPDX-License-Identifier: Apache-2.0

package scheduling

// Priority serves the most important requests first and preempts the least
// important one, as vLLM does with --scheduling-policy priority. There the
// lower number is the more important one; here it is the higher one, so that
// the rank, which is vLLM's number, is the priority's negative.
type Priority struct{}

// Rank returns the negative of the job's priority.
func (Priority) Rank(j Job) int64 { return -int64(j.Priority) }

// PreemptsByRank returns true.
func (Priority) PreemptsByRank() bool { return true }
