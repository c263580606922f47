// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/simulator"
)

// randomAdapters lets requests ask for some of five LoRA adapters, for which
// replicas have a few places. One pool of some has none.
func randomAdapters(c *choices, config *simulator.Config) {
	for i := range config.Pools {
		if c.pick(8) > 0 {
			config.Pools[i].Adapters = &simulator.AdapterPlaces{Max: 1 + c.pick(3), LoadTime: time.Duration(max(0, c.pick(40)-10))}
		}
	}
}

// servesAdapters says whether some pool has places for adapters.
func servesAdapters(config *simulator.Config) bool {
	return slices.ContainsFunc(config.Pools, func(p simulator.Pool) bool { return p.Adapters != nil })
}
