// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// journals remember how far the objects are that were looked at last, so that
// each event of a running Job does not read all results again. They may be
// called concurrently; a journal itself is used by one reconcile at a time, since
// an object is.
type journals struct {
	mu sync.Mutex
	// room bounds the weights of all of them together. The one that was used last
	// is kept whatever its weight.
	room, used int
	byUID      map[types.UID]remembered
	recent     []types.UID // least recently used first
}

// remembered is a journal and what it weighed when it was put back.
type remembered struct {
	*journal
	weight int
}

// planWeight is how many bytes of an encoded plan weigh as much as a row: decoded,
// they take about six times as much memory.
const planWeight = 160

// weight is what a journal takes of memory, in rows: its plan may be its own.
func (j *journal) weight() int { return len(j.rows) + j.pooled + j.plan.size/planWeight }

func newJournals(room int) *journals {
	return &journals{room: room, byUID: map[types.UID]remembered{}}
}

// get returns the journal of an object's plan, or nil.
func (c *journals) get(uid types.UID, plan string) *journal {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r, ok := c.byUID[uid]; ok && r.plan.hash == plan {
		return r.journal
	}
	return nil
}

// put remembers an object's journal, and forgets others where there is no room.
func (c *journals) put(uid types.UID, j *journal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(uid)
	weight := j.weight()
	c.byUID[uid] = remembered{j, weight}
	c.used += weight
	c.recent = append(c.recent, uid)
	for c.used > c.room && len(c.recent) > 1 {
		c.remove(c.recent[0])
	}
}

// forget drops an object's journal.
func (c *journals) forget(uid types.UID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(uid)
}

func (c *journals) remove(uid types.UID) {
	c.used -= c.byUID[uid].weight
	delete(c.byUID, uid)
	c.recent = slices.DeleteFunc(c.recent, func(other types.UID) bool { return other == uid })
}
