// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// studyCache remembers the rows of the objects that were reconciled last, so that each
// event of a running Job does not read all results again. Settled and deleted objects are
// forgotten. It may be called concurrently; the rows of one object are used by one
// reconcile at a time.
type studyCache struct {
	mu sync.Mutex
	// room bounds the weights of all of them together. The one that was used last
	// is kept whatever its weight.
	room, used int
	byName     map[subjectName]remembered
	recent     []subjectName // least recently used first
}

// remembered are the rows of an object, and their weight when they were put back.
type remembered struct {
	*studyRows
	of     types.UID
	weight int
}

// planWeight is how many bytes of an encoded plan weigh as much as a row: decoded,
// they take about six times as much memory.
const planWeight = 160

// weight is the memory that rows and their plan take, in rows.
func (j *studyRows) weight() int {
	return len(j.rows) + j.pooled + (j.plan.size+j.study.PolicyBytes())/planWeight
}

func newStudyCache(room int) *studyCache {
	return &studyCache{room: room, byName: map[subjectName]remembered{}}
}

// get returns the rows of an object's plan, or nil.
func (c *studyCache) get(s subject, plan string) *studyRows {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r, ok := c.byName[nameOf(s)]; ok && r.of == s.object().GetUID() && r.plan.hash == plan {
		return r.studyRows
	}
	return nil
}

// put remembers the rows of an object, and forgets others where there is no room.
func (c *studyCache) put(s subject, j *studyRows) {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := nameOf(s)
	c.remove(name)
	weight := j.weight()
	c.byName[name] = remembered{j, s.object().GetUID(), weight}
	c.used += weight
	c.recent = append(c.recent, name)
	for c.used > c.room && len(c.recent) > 1 {
		c.remove(c.recent[0])
	}
}

// forget drops the rows of the object of a name.
func (c *studyCache) forget(name subjectName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(name)
}

func (c *studyCache) remove(name subjectName) {
	c.used -= c.byName[name].weight
	delete(c.byName, name)
	c.recent = slices.DeleteFunc(c.recent, func(other subjectName) bool { return other == name })
}
