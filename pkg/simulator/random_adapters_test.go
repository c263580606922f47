// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"slices"
	"time"
)

// randomAdapters lets requests ask for some of five LoRA adapters, for which
// replicas have a few places. One pool of some has none.
func randomAdapters(c *choices, config *Config) {
	for i := range config.Pools {
		if c.pick(8) > 0 {
			config.Pools[i].Adapters = &AdapterPlaces{Max: 1 + c.pick(3), LoadTime: time.Duration(max(0, c.pick(40)-10))}
		}
	}
}

// servesAdapters says whether some pool has places for adapters.
func servesAdapters(config *Config) bool {
	return slices.ContainsFunc(config.Pools, func(p Pool) bool { return p.Adapters != nil })
}
