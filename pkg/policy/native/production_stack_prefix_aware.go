// SPDX-License-Identifier: Apache-2.0

package native

import (
	"math"
	"time"
)

// productionStackPrefixAware is the routing logic prefixaware of vLLM's production-stack
// (router of vllm-stack 0.1.12). It remembers in a trie of chunks which prompts it sent to
// which endpoint, without a limit. A request goes to one of the endpoints with the longest
// match; all endpoints match nothing equally. Where the longest match is shorter than
// minMatchTokens, it goes to the endpoint with the lowest rate of requests: an endpoint that
// was never sent one, or else that with the fewest in the last window.
//
// The last chunk of a prompt counts as a whole one, though it is not full.
//
// What differs: chunks have tokens instead of characters, so that the default of 32 tokens
// stands for 128 characters, at 4 characters a token. Ties between equal endpoints are broken by the
// rule for ties; the router draws one of equal matches, and takes the first of equal rates.
//
// Parameters: chunkTokens, 32; minMatchTokens, 0; window, 60s.
type productionStackPrefixAware struct {
	minMatchTokens int
	recent         recentRequests
	sent           sent
	list           shortlist
}

func readProductionStackPrefixAware(r *reader) func(*builder) chooser {
	chunkTokens, minMatchTokens := r.Count("chunkTokens", 32, "tokens of a chunk of the index"), r.Whole("minMatchTokens", 0, 0, "tokens of a match below which the request goes to the replica with the fewest requests")
	window := r.Delay("window", time.Minute, "the time in which requests of a replica count")
	return func(b *builder) chooser {
		c := &productionStackPrefixAware{
			minMatchTokens: minMatchTokens, recent: newRecentRequests(window, b.endpoints),
			sent: newSent(b, chunkTokens, math.MaxInt), list: newShortlist(b),
		}
		c.sent.rest = true
		b.follow(&c.sent)
		b.follow(&c.recent)
		return c
	}
}

func (c *productionStackPrefixAware) choose(r *round) int {
	c.list.begin(r)
	if matched := c.sent.look(r); matched*c.sent.blockTokens >= c.minMatchTokens {
		c.list.most(r, "longest-match", c.sent.of)
		return c.list.pick()
	}
	c.recent.expire(r.view.Now)
	c.list.least(r, "lowest-rate", c.recent.of)
	return c.list.pick()
}

func (c *productionStackPrefixAware) explain(r *round, x *Explanation) {
	x.Signals = append(x.Signals, c.sent.signal("production-stack-prefix-aware", r))
	c.list.explain(x)
}
