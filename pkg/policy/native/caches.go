// SPDX-License-Identifier: Apache-2.0

package native

import (
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/kvindex"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// caches is what the engines' caches hold, some time ago.
type caches struct {
	lower bool // whether tiers below GPU memory count
	feed  kvindex.Feed
	index *kvindex.Index
	match kvindex.Match
	// sizes are the engines' block sizes, by endpoint; chain is scratch.
	sizes []int
	chain []prompt.Stretch
}

// caches lets the router hear of the engines' caches, each event so late.
func (b *builder) caches(lag time.Duration, lower bool) *caches {
	c := &caches{
		lower: lower, index: kvindex.New(0),
		match: kvindex.NewMatch(b.endpoints, [kvindex.Places]float64{1, 1, 1, 1}),
	}
	c.feed = kvindex.Feed{Lag: lag, Digesters: []kvindex.Digester{c}}
	b.router.feeds = append(b.router.feeds, &c.feed)
	return c
}

// Digest implements [kvindex.Digester].
func (c *caches) Digest(e *kvindex.Event, _ simtime.Time) {
	if c.lower || e.Tier == policy.GPUMemory {
		e.Apply(c.index)
	}
}

// look returns how many of the request's full blocks each endpoint holds, from the
// first one on without a gap. It is good until the next call.
func (c *caches) look(r *round) []int {
	c.match.Reset()
	c.sizes = c.sizes[:0]
	for i := range r.view.Scrapes {
		size := r.view.Scrapes[i].BlockTokens
		if size == 0 || slices.Contains(c.sizes, size) {
			continue
		}
		c.sizes = append(c.sizes, size)
		c.chain = r.request.Prompt.FullStretches(c.chain[:0], size)
		c.match.Add(c.index, c.chain, 1)
	}
	return c.match.Blocks
}

// believed is how many tokens the last look found at an endpoint.
func (c *caches) believed(r *round, endpoint int) int {
	return c.match.Blocks[endpoint] * r.view.Scrapes[endpoint].BlockTokens
}
