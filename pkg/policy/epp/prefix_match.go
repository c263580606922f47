// SPDX-License-Identifier: Apache-2.0

package epp

// prefixMatch says how much of the request's prompt an endpoint may hold.
type prefixMatch struct {
	blockTokens int
	// totalBlocks is the number of blocks that were looked up; 0 where nothing
	// is known.
	totalBlocks int
	// blocks[e] is how many of them endpoint e may hold.
	blocks []int
	// looked is the number of the cycle in which a scorer looked by itself; 0
	// where a producer looks in each.
	looked uint64
	// left is the cycle in which a scorer last left it for others to read, and
	// held whether anybody held anything then: see [prefixMatch.leave].
	left uint64
	held bool
}

// leave says that it is the scorer's to read from now on in this cycle, and whether
// anybody holds any of the prompt.
func (m *prefixMatch) leave(c *cycle, held bool) { m.left, m.held = c.number, held }

// isLeft reports whether a scorer has left it behind in this cycle.
func (m *prefixMatch) isLeft(c *cycle) bool { return m != nil && m.left == c.number }
