// SPDX-License-Identifier: Apache-2.0

package scheduling

// Priority serves the most important requests first and preempts the least important
// one, as vLLM does with --scheduling-policy priority. There the lower number is the
// more important one; here it is the higher one, so that the rank, which is vLLM's
// number, is the priority's negative.
func Priority() Scheduler {
	return Scheduler{Order: func(j Job) int64 { return -int64(j.Priority) }, Victim: LowestRank}
}
