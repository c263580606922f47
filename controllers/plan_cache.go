// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// planCache remembers the plans that were used last, so that each event of a
// running Job does not read its plan again, and so that objects of equal plans share
// one. A plan is dropped with the last object that uses it. It may be called concurrently;
// the plans are never changed.
type planCache struct {
	mu sync.Mutex
	// room bounds the bytes of all plans together, as they are encoded. The plan
	// that was used last is kept whatever its size.
	room, used int
	plans      map[planKey]*hashedPlan
	recent     []planKey // least recently used first
	// by are the plans that objects used last.
	by map[subjectName]planKey
}

// planKey is a plan's content hash and, where the plan has the very files of an
// object's spec, that object.
type planKey struct {
	hash string
	of   types.UID
}

func newPlanCache(room int) *planCache {
	return &planCache{room: room, plans: map[planKey]*hashedPlan{}, by: map[subjectName]planKey{}}
}

// get returns a plan to an object that uses it, or nil.
func (c *planCache) get(key planKey, by subjectName) *hashedPlan {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.plans[key]
	if p != nil {
		c.use(key, by)
	}
	return p
}

// put adds a plan that an object uses, and returns it; or the one that there is,
// unless the key is of one object alone, whose files may have changed.
func (c *planCache) put(key planKey, by subjectName, p *hashedPlan) *hashedPlan {
	c.mu.Lock()
	defer c.mu.Unlock()
	there := c.plans[key]
	if there != nil && key.of == "" {
		c.use(key, by)
		return there
	}
	if there == nil {
		c.used += p.size
	}
	c.plans[key] = p
	c.use(key, by)
	for c.used > c.room && len(c.recent) > 1 {
		c.drop(c.recent[0])
	}
	return p
}

// release drops the plan of the object of a name, unless another one uses it too.
func (c *planCache) release(by subjectName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leave(by)
}

func (c *planCache) use(key planKey, by subjectName) {
	if c.by[by] != key {
		c.leave(by)
		c.by[by] = key
	}
	c.recent = append(slices.DeleteFunc(c.recent, func(other planKey) bool { return other == key }), key)
}

func (c *planCache) leave(by subjectName) {
	key, used := c.by[by]
	delete(c.by, by)
	if !used {
		return
	}
	for _, other := range c.by {
		if other == key {
			return
		}
	}
	c.drop(key)
}

func (c *planCache) drop(key planKey) {
	if p := c.plans[key]; p != nil {
		c.used -= p.size
	}
	delete(c.plans, key)
	c.recent = slices.DeleteFunc(c.recent, func(other planKey) bool { return other == key })
}
