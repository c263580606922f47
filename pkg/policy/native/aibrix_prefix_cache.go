// SPDX-License-Identifier: Apache-2.0

package native

import (
	"math"
	"slices"
	"time"
)

// aibrixPrefixCache is the routing algorithm prefix-cache of AIBrix (v0.7.0, without its KV
// event sync). A table of hashed blocks says which endpoints were sent each block, and the
// router counts the requests in flight itself. Where the most requests exceed the fewest by
// more than imbalance, the endpoints with the fewest requests stay alone. A request goes to
// the endpoint with
//
//  1. the greatest percentage of the prompt's blocks, rounded down,
//  2. then the fewest requests,
//
// among the endpoints that have the first block and at most mean + deviations · standard
// deviation requests, of the sample of all endpoints. Where there is none, it goes to the
// endpoint with the fewest requests.
//
// The table holds tableBlocks blocks, those that were sent last, of all endpoints together,
// and forgets a block that was not sent anywhere for ttl. A LoRA adapter is a model of its
// own, and has blocks of its own.
//
// The defaults are those of AIBrix's manifests: blocks of 128 characters, which stand for
// blockTokens of 32, imbalance 16 and deviations 2, with tableBlocks 200000 and ttl 20m. The
// program alone has 4, 8 and 1. What differs: AIBrix looks for old blocks once a second.
type aibrixPrefixCache struct {
	imbalance  int
	deviations float64
	table      blockTable
	list       shortlist
}

func readAIBrixPrefixCache(r *reader) func(*builder) chooser {
	imbalance, deviations := r.Whole("imbalance", 0, 16, "by how many requests in flight the most may exceed the fewest before only replicas with the fewest count"), r.Between("deviations", 0, mostFactor, 2, "standard deviations over the mean that the requests of a replica with a match may have")
	blockTokens, tableBlocks := r.Count("blockTokens", 32, "tokens of a block of the table"), r.Count("tableBlocks", 200_000, "blocks of the table, for all replicas together")
	ttl := r.Delay("ttl", 20*time.Minute, "the time after which the table forgets a block that was not used")
	return func(b *builder) chooser {
		b.count()
		c := &aibrixPrefixCache{
			imbalance: imbalance, deviations: deviations,
			table: newBlockTable(blockTokens, tableBlocks, b.endpoints, ttl), list: newShortlist(b),
		}
		b.follow(&c.table)
		return c
	}
}

func (c *aibrixPrefixCache) choose(r *round) int {
	requests := func(e int) int { return r.inFlight[e] }
	c.table.look(r)
	c.list.begin(r)
	if fewest, most := fewestAndMost(r); most-fewest > c.imbalance {
		c.list.least(r, "fewest-requests", requests)
	}
	bound := c.bound(r)
	if c.list.keep(r, "match-in-bound", func(e int) bool { return c.table.blocks[e] > 0 && float64(r.inFlight[e]) <= bound }) {
		c.list.most(r, "longest-match", c.table.percent)
	}
	c.list.least(r, "fewest-requests", requests)
	return c.list.pick()
}

// bound is how many requests an endpoint may have for its match to count.
func (c *aibrixPrefixCache) bound(r *round) float64 {
	n, sum, squares := float64(len(r.candidates)), 0.0, 0.0
	for _, e := range r.candidates {
		sum += float64(r.inFlight[e])
	}
	mean := sum / n
	if n == 1 {
		return mean
	}
	for _, e := range r.candidates {
		d := float64(r.inFlight[e]) - mean
		squares += float64(d * d)
	}
	return mean + float64(c.deviations*math.Sqrt(squares/(n-1)))
}

func (c *aibrixPrefixCache) explain(_ *round, x *Explanation) {
	x.Signals = append(x.Signals, Signal{
		Name: "aibrix-prefix-cache", Freshness: "the requests sent there, without delay; does not see evictions",
		BlockTokens: c.table.blockTokens, TotalBlocks: c.table.total, Blocks: slices.Clone(c.table.blocks),
	})
	c.list.explain(x)
}
