// SPDX-License-Identifier: Apache-2.0

package simulation

import "windtunnel.dev/windtunnel/pkg/simulator"

// randomLive lets the router see the replicas of some pools, or of all, as they are.
func randomLive(c *choices, config *simulator.Config) {
	for i := range config.Pools {
		config.Pools[i].Live = c.pick(3) > 0
	}
}
