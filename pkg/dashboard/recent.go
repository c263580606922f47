// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// recentFor is how long results are remembered for the next page of the same object.
const recentFor = time.Minute

// recent remembers the results of one object, as a reader goes from page to page of it.
type recent struct {
	clock clock.WithTicker

	mu      sync.Mutex
	key     Key
	version string
	results *Results
	// until is when they are forgotten.
	until time.Time
}

func (c *recent) get(o *Object) *Results {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.results == nil || c.key != o.Key || c.version != o.Version {
		return nil
	}
	if c.results.ReportFault == nil { // else the reader may have mended it
		c.until = c.clock.Now().Add(recentFor)
	}
	return c.results
}

func (c *recent) put(o *Object, r *Results) {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := c.results == nil
	c.key, c.version, c.results, c.until = o.Key, o.Version, r, c.clock.Now().Add(recentFor)
	if first {
		go c.forget()
	}
}

// forget forgets the results that no reader has asked for in a while.
func (c *recent) forget() {
	for left := recentFor; left > 0; {
		<-c.clock.After(left)
		c.mu.Lock()
		if left = c.until.Sub(c.clock.Now()); left <= 0 {
			c.results = nil
		}
		c.mu.Unlock()
	}
}
