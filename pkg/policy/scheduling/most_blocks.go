// SPDX-License-Identifier: Apache-2.0

package scheduling

import "windtunnel.dev/windtunnel/pkg/simtime"

// MostBlocks is the running request that holds the most KV blocks, so that few requests
// give way; among equals the one that was admitted last. The request that was admitted
// first does not give way while others run: two long prompts could preempt each other for
// ever.
func MostBlocks(_ *Scheduler, running []Job, _ simtime.Time) int {
	most := min(1, len(running)-1)
	for i := most; i < len(running); i++ {
		if running[i].Blocks >= running[most].Blocks {
			most = i
		}
	}
	return most
}
