// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// Filters of gie-v0.5 that keep the endpoints with the least of something: those
// within the first n-th of the range from least to greatest, of n candidates.
var (
	// leastQueueFilter goes by waiting requests; the n-th is rounded down. For
	// the greatest, the EPP starts from 0.
	leastQueueFilter = scheduler.Factory{
		PluginType: config.PluginType{
			Name:         "least-queue-filter",
			Registration: version.GIE("..gie-v0.5"),
			Roles:        config.FilterRole,
		},
		NewFilter: func(*scheduler.Builder, *config.Plugin) scheduler.Filter { return leastQueue{} },
	}
	// leastKVCacheFilter goes by the use of the KV cache.
	leastKVCacheFilter = scheduler.Factory{
		PluginType: config.PluginType{
			Name:         "least-kv-cache-filter",
			Registration: version.GIE("..gie-v0.5"),
			Roles:        config.FilterRole,
		},
		NewFilter: func(*scheduler.Builder, *config.Plugin) scheduler.Filter { return leastKVCache{} },
	}
)

type leastQueue struct{}

func (leastQueue) Filter(c *scheduler.Cycle, candidates []int) []int {
	if len(candidates) == 0 {
		return candidates
	}
	least, greatest := c.Scrapes[candidates[0]].Waiting, 0
	for _, e := range candidates {
		least, greatest = min(least, c.Scrapes[e].Waiting), max(greatest, c.Scrapes[e].Waiting)
	}
	limit := least + (greatest-least)/len(candidates)
	return keep(candidates, func(e int) bool { return c.Scrapes[e].Waiting <= limit })
}

type leastKVCache struct{}

func (leastKVCache) Filter(c *scheduler.Cycle, candidates []int) []int {
	if len(candidates) == 0 {
		return candidates
	}
	least, greatest := c.Scrapes[candidates[0]].KVUsage, 0.0
	for _, e := range candidates {
		least, greatest = min(least, c.Scrapes[e].KVUsage), max(greatest, c.Scrapes[e].KVUsage)
	}
	limit := least + (greatest-least)/float64(len(candidates))
	return keep(candidates, func(e int) bool { return c.Scrapes[e].KVUsage <= limit })
}

// keep filters in place.
func keep(candidates []int, stays func(endpoint int) bool) []int {
	kept := candidates[:0]
	for _, e := range candidates {
		if stays(e) {
			kept = append(kept, e)
		}
	}
	return kept
}
