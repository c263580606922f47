// SPDX-License-Identifier: Apache-2.0

package epp

// Filters of gie-v0.5 that keep the endpoints with the least of something: those
// within the first n-th of the range from least to greatest, of n candidates.
var (
	// leastQueueFilter goes by waiting requests; the n-th is rounded down. For
	// the greatest, the EPP starts from 0.
	leastQueueFilter = factory{
		pluginType: pluginType{
			name:         "least-queue-filter",
			registration: gie("..gie-v0.5"),
			roles:        filterRole,
		},
		newFilter: func(*builder, *plugin) filter { return leastQueue{} },
	}
	// leastKVCacheFilter goes by the use of the KV cache.
	leastKVCacheFilter = factory{
		pluginType: pluginType{
			name:         "least-kv-cache-filter",
			registration: gie("..gie-v0.5"),
			roles:        filterRole,
		},
		newFilter: func(*builder, *plugin) filter { return leastKVCache{} },
	}
)

type leastQueue struct{}

func (leastQueue) filter(c *cycle, candidates []int) []int {
	if len(candidates) == 0 {
		return candidates
	}
	least, greatest := c.scrapes[candidates[0]].Waiting, 0
	for _, e := range candidates {
		least, greatest = min(least, c.scrapes[e].Waiting), max(greatest, c.scrapes[e].Waiting)
	}
	limit := least + (greatest-least)/len(candidates)
	return keep(candidates, func(e int) bool { return c.scrapes[e].Waiting <= limit })
}

type leastKVCache struct{}

func (leastKVCache) filter(c *cycle, candidates []int) []int {
	if len(candidates) == 0 {
		return candidates
	}
	least, greatest := c.scrapes[candidates[0]].KVUsage, 0.0
	for _, e := range candidates {
		least, greatest = min(least, c.scrapes[e].KVUsage), max(greatest, c.scrapes[e].KVUsage)
	}
	limit := least + (greatest-least)/float64(len(candidates))
	return keep(candidates, func(e int) bool { return c.scrapes[e].KVUsage <= limit })
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
