// SPDX-License-Identifier: Apache-2.0

package scheduling

// ReversePriority serves the least important requests first and preempts the most
// important one: a worst case to compare with.
func ReversePriority() Scheduler {
	return Scheduler{Order: func(j Job) int64 { return int64(j.Priority) }, Victim: LowestRank}
}
