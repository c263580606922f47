// SPDX-License-Identifier: Apache-2.0

package scheduling

// FCFS is first come, first served: every job has the same rank, and the one
// admitted last is preempted. It is what vLLM does by default
// (--scheduling-policy fcfs).
type FCFS struct{}

// Rank returns 0.
func (FCFS) Rank(Job) int64 { return 0 }

// PreemptsByRank returns false.
func (FCFS) PreemptsByRank() bool { return false }
