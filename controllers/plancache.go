// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"
	"sync"

	"windtunnel.dev/windtunnel/pkg/experiment"
)

// planCache remembers the plans that were used last, by content hash, so that
// each event of a running Job does not read its plan again. It may
// be called concurrently; the plans are never changed.
type planCache struct {
	mu sync.Mutex
	// room bounds the bytes of all plans together, as they are encoded. The plan
	// that was used last is kept whatever its size.
	room, used int
	plans      map[string]*experiment.Plan
	recent     []string // least recently used first
}

func newPlanCache(room int) *planCache {
	return &planCache{room: room, plans: map[string]*experiment.Plan{}}
}

// get returns the plan of a hash, or nil.
func (c *planCache) get(hash string) *experiment.Plan {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.plans[hash]
	if p != nil {
		c.touch(hash)
	}
	return p
}

// put adds a plan.
func (c *planCache) put(hash string, p *experiment.Plan) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.plans[hash] == nil {
		c.used += len(p.Encode())
	}
	c.plans[hash] = p
	c.touch(hash)
	for c.used > c.room && len(c.recent) > 1 {
		oldest := c.recent[0]
		c.used -= len(c.plans[oldest].Encode())
		delete(c.plans, oldest)
		c.recent = c.recent[1:]
	}
}

func (c *planCache) touch(hash string) {
	c.recent = slices.DeleteFunc(c.recent, func(other string) bool { return other == hash })
	c.recent = append(c.recent, hash)
}
