// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/policy/kvindex"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// precisePrefix knows from the engines' KV events which endpoint holds what of a
// prompt: full blocks, consecutive from the first one on.
type precisePrefix struct {
	rules preciseRules
	// blockTokens is the size of the index's blocks.
	blockTokens int
	// estimated is whether prompts come with estimated tokens. No engine's block
	// has such.
	estimated bool
	index     *kvindex.Index
	match     kvindex.Match // in the index's blocks
	uneven    kvindex.Match // in an engine's, where those divide into no number of them
	// info is what scorers are told; totalBlocks is 0 where there is no block.
	info *scheduler.PrefixMatch
	// told is what others than its scorer read: see [toldMatch]. It is nil where it
	// is told under the name of the instance. toldBefore is whether a producer of
	// another kind tells it at the beginning of a cycle.
	told       *scheduler.PrefixMatch
	toldBefore bool

	// cuts are the block sizes that endpoints go by, and the prompt under way in
	// each; cutOf is that of an endpoint.
	cuts  []kvCut
	cutOf []int32

	speculation speculation
	// prefill is whether the pick of the prefill profile is followed.
	prefill bool
}

// A kvCut is a prompt in blocks of one size.
type kvCut struct {
	blockTokens int
	// apart keeps these blocks from being taken for those of engines.
	apart bool
	chain []prompt.Stretch
}

// newPrecisePrefix returns what the instance of that name knows, with tokens of
// its own or those of the token producer.
func newPrecisePrefix(b *scheduler.Builder, name string, parameters *preciseParameters, ownTokens bool) *precisePrefix {
	rules := preciseRulesOf(&b.Dialect)
	weights := parameters.weights(rules)
	p := &precisePrefix{
		rules:       rules,
		blockTokens: parameters.blockTokens(),
		estimated:   !ownTokens && scheduler.EstimatesTokens(b.Document),
		index:       kvindex.New(parameters.entries()),
		match:       kvindex.NewMatch(b.Endpoints, weights),
		uneven:      kvindex.NewMatch(b.Endpoints, weights),
		info:        b.PrefixMatch(name),
		speculation: parameters.speculation(rules),
		prefill:     b.Stages.Prefill == config.PrefillProfile,
		told:        toldMatch(b),
		toldBefore:  b.Lists(config.ApproxPrefixCacheProducerType),
	}
	if b.Dialect.Own == version.Scheduler07 && !attaches(b.Config, b.Plugins[name]) {
		p.speculation = speculation{}
	}
	if parameters.hears(name, rules, b.Document) {
		b.Digesters = append(b.Digesters, p)
	}
	return p
}

// Digest implements [kvindex.Digester].
func (p *precisePrefix) Digest(e *kvindex.Event, arrival simtime.Time) {
	p.speculation.expire(p.index, arrival)
	if e.Kind == kvindex.Cleared && !p.rules.clears || e.Tier != policy.GPUMemory && !p.rules.tiers {
		return
	}
	e.Apply(p.index)
}

func (p *precisePrefix) Produce(c *scheduler.Cycle) {
	p.speculation.expire(p.index, c.Now)
	p.match.Reset()
	clear(p.info.Blocks)
	p.info.BlockTokens, p.info.TotalBlocks = p.blockTokens, c.Tokens/p.blockTokens
	if p.info.TotalBlocks > 0 {
		p.prepare(c)
		for i := range p.cuts {
			p.matchCut(&p.cuts[i], c)
		}
		for e, score := range p.match.Scores {
			p.info.Blocks[e] = int(score)
		}
	}
	p.tellSpeculating()
}

// prepare finds out, once, how the endpoints cut prompts.
func (p *precisePrefix) prepare(c *scheduler.Cycle) {
	if p.cutOf != nil {
		return
	}
	p.cutOf = make([]int32, len(c.Engines))
	for e := range c.Engines {
		cut := kvCut{blockTokens: c.Engines[e].BlockTokens}
		if p.estimated || cut.blockTokens == 0 || p.rules.sameBlocks && cut.blockTokens != p.blockTokens {
			cut = kvCut{blockTokens: p.blockTokens, apart: true}
		}
		at := slices.IndexFunc(p.cuts, func(k kvCut) bool { return k.blockTokens == cut.blockTokens && k.apart == cut.apart })
		if at < 0 {
			at = len(p.cuts)
			p.cuts = append(p.cuts, cut)
		}
		p.cutOf[e] = int32(at)
	}
}

// foreign is what sets the names of blocks apart from those that engines know.
const foreign = 0x5bd1e9955bd1e995

func (p *precisePrefix) matchCut(k *kvCut, c *scheduler.Cycle) {
	k.chain = c.Prompt.FullStretches(k.chain[:0], k.blockTokens)
	prompt.ForAdapter(k.chain, c.Adapter)
	if k.apart {
		for i := range k.chain {
			k.chain[i].ID ^= foreign
		}
	}
	if k.blockTokens%p.blockTokens == 0 {
		p.match.Add(p.index, k.chain, k.blockTokens/p.blockTokens)
		return
	}
	p.uneven.Reset()
	p.uneven.Add(p.index, k.chain, 1)
	for e, blocks := range p.uneven.Blocks {
		if blocks > 0 {
			whole := blocks * k.blockTokens / p.blockTokens
			p.match.Blocks[e] += whole
			p.match.Scores[e] += float64(p.uneven.Scores[e] / float64(blocks) * float64(whole))
		}
	}
}

func (p *precisePrefix) Routed(c *scheduler.Cycle, picked scheduler.Picks) {
	if p.speculation.ttl == 0 || p.info.TotalBlocks == 0 {
		return
	}
	p.speculate(c, picked.Primary)
	if p.prefill && picked.Prefill != scheduler.None {
		p.speculate(c, picked.Prefill)
	}
}

func (p *precisePrefix) speculate(c *scheduler.Cycle, endpoint int) {
	p.speculation.Add(p.index, c.Now, endpoint, p.cuts[p.cutOf[endpoint]].chain)
}
