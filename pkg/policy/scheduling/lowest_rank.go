// SPDX-License-Identifier: Apache-2.0

package scheduling

import "windtunnel.dev/windtunnel/pkg/simtime"

// LowestRank is the running request that the scheduler would serve last. Among equals
// that is the one that entered the queue last.
func LowestRank(s *Scheduler, running []Job, now simtime.Time) int {
	last := 0
	for i := range running {
		if s.Compare(running[last], running[i], now) < 0 {
			last = i
		}
	}
	return last
}
