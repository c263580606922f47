// SPDX-License-Identifier: Apache-2.0

package scheduler

// PrefixMatch says how much of the request's prompt an endpoint may hold.
type PrefixMatch struct {
	BlockTokens int
	// TotalBlocks is the number of blocks that were looked up; 0 where nothing
	// is known.
	TotalBlocks int
	// blocks[e] is how many of them endpoint e may hold.
	Blocks []int
	// Looked is the number of the cycle in which a scorer looked by itself; 0
	// where a producer looks in each.
	Looked uint64
	// left is the cycle in which a scorer last left it for others to read, and
	// held whether anybody held anything then: see [PrefixMatch.Leave].
	left uint64
	Held bool
}

// Leave says that it is the scorer's to read from now on in this cycle, and whether
// anybody holds any of the prompt.
func (m *PrefixMatch) Leave(c *Cycle, held bool) { m.left, m.Held = c.Number, held }

// IsLeft reports whether a scorer has left it behind in this cycle.
func (m *PrefixMatch) IsLeft(c *Cycle) bool { return m != nil && m.left == c.Number }
