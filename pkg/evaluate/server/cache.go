// SPDX-License-Identifier: Apache-2.0

package server

import (
	"container/list"
	"sync"

	"windtunnel.dev/windtunnel/pkg/insight"
)

// cacheBytes bounds the answers that are kept.
const cacheBytes = 64 << 20

// A cacheKey is what an answer depends on. Scenarios with one ID may have other objectives, so
// the place of the scenario counts too.
type cacheKey struct {
	policy, scenario string
	place            int
	seed             int64
	summary          insight.Strategy
	engine           string
}

// A CacheReport says what a cache holds, and how often it knew an answer.
type CacheReport struct {
	Entries int `json:"entries"`
	Bytes   int `json:"bytes"`
	Hits    int `json:"hits"`
}

// A cache keeps answers by what they depend on. It forgets those that were not requested for the
// longest.
type cache struct {
	mu     sync.Mutex
	limit  int // in bytes
	report CacheReport
	byKey  map[cacheKey]*list.Element
	recent *list.List // of cached values, the latest first
}

type cached struct {
	key cacheKey
	raw []byte
}

func newCache(limit int) *cache {
	return &cache{limit: limit, byKey: map[cacheKey]*list.Element{}, recent: list.New()}
}

// get returns the answer that is kept; nil without one.
func (c *cache) get(key cacheKey) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byKey[key]
	if e == nil {
		return nil
	}
	c.report.Hits++
	c.recent.MoveToFront(e)
	return e.Value.(*cached).raw
}

// put keeps an answer. The first one of several stays, so that all that ask get the same.
func (c *cache) put(key cacheKey, raw []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byKey[key]; e != nil {
		return e.Value.(*cached).raw
	}
	c.byKey[key] = c.recent.PushFront(&cached{key, raw})
	c.report.Bytes += len(raw)
	for c.report.Bytes > c.limit {
		last := c.recent.Back()
		old := c.recent.Remove(last).(*cached)
		delete(c.byKey, old.key)
		c.report.Bytes -= len(old.raw)
	}
	return raw
}

func (c *cache) state() CacheReport {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.report.Entries = len(c.byKey)
	return c.report
}
