// SPDX-License-Identifier: Apache-2.0

package scheduling

import "windtunnel.dev/windtunnel/pkg/simtime"

// FewestComputedTokens is the running request with the fewest tokens in the KV cache,
// which loses the least work; among equals the one that was admitted last.
func FewestComputedTokens(_ *Scheduler, running []Job, _ simtime.Time) int {
	fewest := 0
	for i := range running {
		if running[i].ComputedTokens <= running[fewest].ComputedTokens {
			fewest = i
		}
	}
	return fewest
}
