// SPDX-License-Identifier: Apache-2.0

package native

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// sglangCacheAware is the policy cache_aware of SGLang's router, sgl-router 0.2, and of its
// successor, sgl-model-gateway. It keeps a radix tree of the prompts that were sent to each
// endpoint, and counts the requests in flight there itself. A request goes
//
//   - to the shortest queue, if the endpoints are out of balance: the most requests in flight
//     exceed the fewest by more than balanceAbsThreshold, and are more than
//     balanceRelThreshold times as many;
//   - else to the longest match, if this is more than cacheThreshold of the prompt;
//   - else to the smallest tree, or, since December 2025, to the least loaded endpoint:
//     unmatched says which.
//
// Every evictionInterval each tree loses the leaves that were not used for longest, until it
// has maxTreeTokens at most. 0s is never.
//
// What differs: trees have tokens instead of characters, so that the default of 2^24 tokens
// stands for the router's 2^26 characters, at 4 characters a token. A leaf loses as many
// tokens as are too many, not all of them, and every token of a prompt that is sent counts as
// used. Ties between equal endpoints are broken by the rule for ties; the router takes the first of
// the shortest queues, and any of equal matches and trees. Endpoints that are gone do not
// count; the router counts their requests, and sends a request whose match is gone to the
// first endpoint.
type sglangCacheAware struct {
	cacheThreshold, balanceRelThreshold float64
	balanceAbsThreshold                 int
	leastLoaded                         bool
	evictionInterval                    time.Duration

	evictAt simtime.Time
	sent    sent
	list    shortlist
}

func readSGLangCacheAware(r *reader) func(*builder) chooser {
	spec := sglangCacheAware{
		cacheThreshold:      r.Between("cacheThreshold", 0, 1, 0.3, "share of the prompt above which a match counts"),
		balanceAbsThreshold: r.Whole("balanceAbsThreshold", 0, 64, "by how many requests in flight the most exceed the fewest of unbalanced replicas"),
		balanceRelThreshold: r.Between("balanceRelThreshold", 0, mostFactor, 1.5, "how many times the fewest requests in flight the most are of unbalanced replicas"),
		leastLoaded:         r.Choice("unmatched", "the replica of a request without a match", "smallest-tree", "least-loaded") == "least-loaded",
		evictionInterval:    r.Delay("evictionInterval", 2*time.Minute, "the time between two shortenings of the trees; 0s is never"),
	}
	treeTokens := r.Count("maxTreeTokens", 1<<24, "tokens that the tree of a replica has after a shortening")
	return func(b *builder) chooser {
		b.count()
		c := spec
		c.evictAt = simtime.Time(0).Add(c.evictionInterval)
		c.sent, c.list = newSent(b, 1, treeTokens), newShortlist(b)
		b.follow(&c)
		return &c
	}
}

func (c *sglangCacheAware) choose(r *round) int {
	c.evict(r.view.Now)
	inFlight := func(e int) int { return r.inFlight[e] }
	matched := c.sent.look(r)
	c.list.begin(r)
	switch {
	case c.unbalanced(r):
		c.list.least(r, "shortest-queue", inFlight)
	case float64(matched) > c.cacheThreshold*float64(r.request.Tokens):
		c.list.most(r, "longest-match", c.sent.of)
	case c.leastLoaded:
		c.list.least(r, "least-loaded", inFlight)
	default:
		c.list.least(r, "smallest-tree", func(e int) int { return c.sent.memories[e].length })
	}
	return c.list.pick()
}

func (c *sglangCacheAware) unbalanced(r *round) bool {
	fewest, most := fewestAndMost(r)
	return most-fewest > c.balanceAbsThreshold && float64(most) > c.balanceRelThreshold*float64(fewest)
}

// fewestAndMost are of the requests in flight on candidates.
func fewestAndMost(r *round) (fewest, most int) {
	fewest = r.inFlight[r.candidates[0]]
	for _, e := range r.candidates {
		fewest, most = min(fewest, r.inFlight[e]), max(most, r.inFlight[e])
	}
	return fewest, most
}

// evict cuts the trees down when it is time.
func (c *sglangCacheAware) evict(now simtime.Time) {
	if c.evictionInterval == 0 || now < c.evictAt {
		return
	}
	interval := simtime.Time(c.evictionInterval)
	c.evictAt = now - now%interval + interval
	for e := range c.sent.memories {
		c.sent.memories[e].evict()
	}
}

// routed lets the tree grow until the next eviction.
func (c *sglangCacheAware) routed(_ *round, endpoint int) {
	c.sent.memories[endpoint].add(c.sent.chain)
}

func (*sglangCacheAware) remembersPrompts() {}

func (c *sglangCacheAware) explain(r *round, x *Explanation) {
	x.Signals = append(x.Signals, c.sent.signal("sglang-cache-aware", r))
	c.list.explain(x)
}
