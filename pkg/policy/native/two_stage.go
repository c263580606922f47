// SPDX-License-Identifier: Apache-2.0

package native

// twoStage first leaves out the endpoints whose last scrape shows a load above a threshold,
// and then takes the one that was sent the most of the prompt: early descriptions of llm-d's
// router, which is a profile of filters and scorers today. Endpoints with as much of the
// prompt, such as none, are equal but for their load. Where all endpoints are above a
// threshold, the one with the fewest waiting requests is taken.
//
// A weighted sum cannot do the same: a score from the least to the most loaded endpoint has
// no threshold, and spreads requests even where no endpoint is busy.
//
// Parameters: queueThreshold, 5 waiting requests, and kvThreshold, 0.8 of the KV blocks: the
// thresholds from which the EPP's utilization-detector has an endpoint saturated; blockTokens,
// 16; blocksPerEndpoint, 31250; load.
type twoStage struct {
	queueThreshold int
	kvThreshold    float64
	load           loadSignal
	sent           sent
	list           shortlist
}

func readTwoStage(r *reader) func(*builder) chooser {
	queue, kv, load := r.Whole("queueThreshold", 0, 5, "waiting requests that a replica of the first stage may have"), r.Between("kvThreshold", 0, 1, 0.8, "share of the KV blocks that a replica of the first stage may use"), readLoadSignal(r)
	blockTokens, blocksPerEndpoint := readBlocks(r)
	return func(b *builder) chooser {
		load.build(b)
		c := &twoStage{
			queueThreshold: queue, kvThreshold: kv, load: load,
			sent: newSent(b, blockTokens, blocksPerEndpoint), list: newShortlist(b),
		}
		b.follow(&c.sent)
		return c
	}
}

func (c *twoStage) choose(r *round) int {
	c.list.begin(r)
	c.sent.look(r)
	if !c.list.keep(r, "load-threshold", func(e int) bool { return c.eligible(r, e) }) {
		c.list.least(r, "shortest-queue", func(e int) int { return r.view.Scrapes[e].Waiting })
		return c.list.pick()
	}
	c.list.most(r, "longest-match", c.sent.of)
	c.list.least(r, "least-loaded", func(e int) int { return c.load.of(r, e) })
	return c.list.pick()
}

func (c *twoStage) eligible(r *round, endpoint int) bool {
	s := &r.view.Scrapes[endpoint]
	return s.Waiting <= c.queueThreshold && s.KVUsage <= c.kvThreshold
}

func (c *twoStage) explain(r *round, x *Explanation) {
	x.Signals = append(x.Signals, c.sent.signal("two-stage", r))
	c.list.explain(x)
}
