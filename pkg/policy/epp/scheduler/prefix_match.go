// SPDX-License-Identifier: Apache-2.0

package scheduler

// PrefixMatch says how much of the request's prompt an endpoint may hold.
type PrefixMatch struct {
	BlockTokens int
	// TotalBlocks is the number of blocks that were looked up; 0 where nothing
	// is known.
	TotalBlocks int
	// Blocks[e] is how many of them endpoint e may hold.
	Blocks []int
	// Held are the endpoints that hold a block, as a prefix index lists them; a producer
	// without such an index leaves it empty. Listed says that only an index writes Blocks, so
	// that Held is complete.
	Held   []int32
	Listed bool
	// Looked is the number of the cycle in which a scorer looked by itself; 0
	// where a producer looks in each.
	Looked uint64
	// publishedIn is the cycle in which a scorer last published it, and AnyHeld whether an
	// endpoint held a block then: see [PrefixMatch.Publish].
	publishedIn uint64
	AnyHeld     bool
}

// Forget takes all blocks from the endpoints.
func (m *PrefixMatch) Forget() {
	if m.Listed {
		for _, e := range m.Held {
			m.Blocks[e] = 0
		}
	} else {
		clear(m.Blocks)
	}
	m.Held = m.Held[:0]
}

// Publish lets later plugins of this cycle read the match. held is whether an endpoint holds
// a block of the prompt.
func (m *PrefixMatch) Publish(c *Cycle, held bool) { m.publishedIn, m.AnyHeld = c.Number, held }

// IsPublished reports whether a scorer has published it in this cycle.
func (m *PrefixMatch) IsPublished(c *Cycle) bool { return m != nil && m.publishedIn == c.Number }
