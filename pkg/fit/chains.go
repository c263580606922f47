// SPDX-License-Identifier: Apache-2.0

package fit

import "windtunnel.dev/windtunnel/pkg/workload"

// prefix is the beginning that most prompts share.
type prefix struct {
	blocks, tokens int
	share          float64 // of the requests
}

const (
	// prefixShare is the share of all requests that makes a beginning shared, and
	// deepest the longest one in blocks.
	prefixShare = 0.5
	deepest     = 64
)

// findPrefix finds the longest beginning that at least half of the requests have.
func findPrefix(source workload.Source, blockTokens int) prefix {
	var counts [deepest]map[uint64]int
	for depth := range counts {
		counts[depth] = map[uint64]int{}
	}
	requests := 0
	var chain []uint64
	for {
		r, ok := source.Next()
		if !ok {
			break
		}
		requests++
		chain = r.Prompt.FullBlocks(chain[:0], blockTokens)
		for depth, block := range chain[:min(len(chain), deepest)] {
			// A beginning that is to be in half of the requests is in half of those so far,
			// or had no time to be.
			if depth > 0 && 2*counts[depth-1][chain[depth-1]] < requests-leastRequests {
				break
			}
			counts[depth][block]++
		}
	}
	var found prefix
	for depth := range counts {
		most := 0
		for _, n := range counts[depth] {
			most = max(most, n)
		}
		if float64(most) < prefixShare*float64(requests) {
			break
		}
		found = prefix{depth + 1, (depth + 1) * blockTokens, float64(most) / float64(requests)}
	}
	return found
}

// chains finds the request that another one continues.
type chains struct {
	blockTokens int
	prefix      prefix
	last        map[uint64]int32 // the last request that has a block
	lengths     []int32          // of prompts in full blocks
	chain       []uint64
}

// add returns the request that request i continues: one whose prompt, but for a block at its
// end, is the beginning of the request's, and is more than the shared prefix.
func (c *chains) add(r *workload.Request, i int) (before int, continues bool) {
	if c.blockTokens == 0 {
		return 0, false
	}
	c.chain = r.Prompt.FullBlocks(c.chain[:0], c.blockTokens)
	known := 0
	for _, block := range c.chain {
		at, ok := c.last[block]
		if !ok {
			break
		}
		known++
		before = int(at)
	}
	continues = known > c.prefix.blocks && known >= int(c.lengths[before])-1
	for _, block := range c.chain {
		c.last[block] = int32(i)
	}
	c.lengths = append(c.lengths, int32(len(c.chain)))
	return before, continues
}
