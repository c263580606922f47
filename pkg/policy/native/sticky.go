// SPDX-License-Identifier: Apache-2.0

package native

// sticky is the policy prefix-affinity: a request goes where the longest known prefix of its
// prompt went first, whatever the load there, and to the least loaded endpoint where no
// prefix is known. It is the extreme that prefix weights tend to. The scorer prefix-affinity
// has the same signal, and weighs it against others.
//
// An endpoint that is gone has lost its cache: its prefixes are unknown from then on, and
// stay where they go next. So one endpoint at most has a prefix.
//
// Parameters: blockTokens, 16; blocksPerEndpoint, 31250; load.
type sticky struct {
	load loadSignal
	sent sent
	list shortlist
}

func readSticky(r *reader) func(*builder) chooser {
	blockTokens, blocksPerEndpoint := readBlocks(r)
	load := readLoadSignal(r)
	return func(b *builder) chooser {
		load.build(b)
		c := &sticky{load: load, sent: newSent(b, blockTokens, blocksPerEndpoint), list: newShortlist(b)}
		b.follow(&c.sent)
		return c
	}
}

// readBlocks reads the size of blocks and how many of them each endpoint has in an index.
func readBlocks(r *reader) (blockTokens, blocksPerEndpoint int) {
	return r.Count("blockTokens", 16, "tokens of a block of the index"), r.Count("blocksPerEndpoint", 31250, "blocks of the index for each replica")
}

func (c *sticky) choose(r *round) int {
	for e, down := range r.view.Down {
		if down {
			c.sent.memories[e].forget()
		}
	}
	c.list.begin(r)
	if c.sent.look(r) > 0 {
		c.list.most(r, "longest-prefix", c.sent.of)
	} else {
		c.list.least(r, "least-loaded", func(e int) int { return c.load.of(r, e) })
	}
	return c.list.pick()
}

func (c *sticky) explain(r *round, x *Explanation) {
	x.Signals = append(x.Signals, c.sent.signal("prefix-affinity", r))
	c.list.explain(x)
}
