// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"windtunnel.dev/windtunnel/pkg/experiment"
)

// planCache remembers the plans that were used last, so that each event of a
// running Job does not read its plan again, and so that objects of equal plans share
// one. It may be called concurrently; the plans are never changed.
type planCache struct {
	mu sync.Mutex
	// room bounds the bytes of all plans together, as they are encoded. The plan
	// that was used last is kept whatever its size.
	room, used int
	plans      map[planKey]*hashedPlan
	recent     []planKey // least recently used first
}

// planKey is a plan's content hash and, where the plan has the very files of an
// object's spec, that object.
type planKey struct {
	hash string
	of   types.UID
}

// hashedPlan is a plan with its content hash, and how long its encoding is, in bytes.
type hashedPlan struct {
	*experiment.Plan
	hash string
	size int
}

func hashPlan(p *experiment.Plan) *hashedPlan {
	raw := p.Encode()
	return &hashedPlan{p, experiment.Digest(raw), len(raw)}
}

func newPlanCache(room int) *planCache {
	return &planCache{room: room, plans: map[planKey]*hashedPlan{}}
}

// get returns a plan, or nil.
func (c *planCache) get(key planKey) *hashedPlan {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.plans[key]
	if p != nil {
		c.touch(key)
	}
	return p
}

// put adds a plan, and returns it; or the one that there is, unless the key is of
// one object alone, whose files may have changed.
func (c *planCache) put(key planKey, p *hashedPlan) *hashedPlan {
	c.mu.Lock()
	defer c.mu.Unlock()
	there := c.plans[key]
	if there != nil && key.of == "" {
		c.touch(key)
		return there
	}
	if there == nil {
		c.used += p.size
	}
	c.plans[key] = p
	c.touch(key)
	for c.used > c.room && len(c.recent) > 1 {
		oldest := c.recent[0]
		c.used -= c.plans[oldest].size
		delete(c.plans, oldest)
		c.recent = c.recent[1:]
	}
	return p
}

func (c *planCache) touch(key planKey) {
	c.recent = slices.DeleteFunc(c.recent, func(other planKey) bool { return other == key })
	c.recent = append(c.recent, key)
}
