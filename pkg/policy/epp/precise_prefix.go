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
	estimated   bool
	index       *kvindex.Index
	match       kvindex.Match // in the index's blocks
	unevenMatch kvindex.Match // in an engine's, where those divide into no number of them
	// info is what scorers read; TotalBlocks is 0 where there is no block.
	info *scheduler.PrefixMatch
	// shared is the match that other plugins read: see [sharedMatch]. It is nil where they
	// read it under the name of the instance. producerWritesShared is whether a producer of
	// another kind writes it at the beginning of a cycle.
	shared               *scheduler.PrefixMatch
	producerWritesShared bool

	// promptsBySize has the current prompt in blocks of each size that the endpoints have;
	// promptOf is the index of an endpoint's.
	promptsBySize []sizedPrompt
	promptOf      []int32

	speculation speculation
	// prefill is whether the pick of the prefill profile is followed.
	prefill bool
}

// A sizedPrompt is a prompt in blocks of one size.
type sizedPrompt struct {
	blockTokens int
	// distinctIDs keeps these blocks from matching blocks of engines.
	distinctIDs bool
	chain       []prompt.Stretch
}

// newPrecisePrefix returns what the instance of that name knows, with tokens of
// its own or those of the token producer.
func newPrecisePrefix(b *scheduler.Builder, name string, parameters *preciseParameters, ownTokens bool) *precisePrefix {
	rules := preciseRulesOf(&b.Dialect)
	weights := parameters.weights(rules)
	p := &precisePrefix{
		rules:                rules,
		blockTokens:          parameters.blockTokens(),
		estimated:            !ownTokens && scheduler.EstimatesTokens(b.Document),
		index:                kvindex.New(parameters.entries()),
		match:                kvindex.NewMatch(b.Endpoints, weights),
		unevenMatch:          kvindex.NewMatch(b.Endpoints, weights),
		info:                 b.PrefixMatch(name),
		speculation:          parameters.speculation(rules),
		prefill:              b.Stages.Prefill == config.PrefillProfile,
		shared:               sharedMatch(b),
		producerWritesShared: b.Lists(config.ApproxPrefixCacheProducerType),
	}
	if b.Dialect.Own == version.Scheduler07 && !attachesMatch(b.Config, b.Plugins[name]) {
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
	if e.Kind == kvindex.Cleared && !p.rules.appliesCleared || e.Tier != policy.GPUMemory && !p.rules.knowsTiers {
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
		for i := range p.promptsBySize {
			p.matchPrompt(&p.promptsBySize[i], c)
		}
		for e, score := range p.match.Scores {
			p.info.Blocks[e] = int(score)
		}
	}
	p.shareSpeculative()
}

// prepare finds out, once, how the endpoints cut prompts.
func (p *precisePrefix) prepare(c *scheduler.Cycle) {
	if p.promptOf != nil {
		return
	}
	p.promptOf = make([]int32, len(c.Engines))
	for e := range c.Engines {
		cut := sizedPrompt{blockTokens: c.Engines[e].BlockTokens}
		if p.estimated || cut.blockTokens == 0 || p.rules.sameBlockSizeOnly && cut.blockTokens != p.blockTokens {
			cut = sizedPrompt{blockTokens: p.blockTokens, distinctIDs: true}
		}
		at := slices.IndexFunc(p.promptsBySize, func(k sizedPrompt) bool { return k.blockTokens == cut.blockTokens && k.distinctIDs == cut.distinctIDs })
		if at < 0 {
			at = len(p.promptsBySize)
			p.promptsBySize = append(p.promptsBySize, cut)
		}
		p.promptOf[e] = int32(at)
	}
}

// distinctIDMask changes the IDs of blocks that must match no block of an engine.
const distinctIDMask = 0x5bd1e9955bd1e995

func (p *precisePrefix) matchPrompt(k *sizedPrompt, c *scheduler.Cycle) {
	k.chain = c.Prompt.FullStretches(k.chain[:0], k.blockTokens)
	prompt.ForAdapter(k.chain, c.Adapter)
	if k.distinctIDs {
		for i := range k.chain {
			k.chain[i].ID ^= distinctIDMask
		}
	}
	if k.blockTokens%p.blockTokens == 0 {
		p.match.Add(p.index, k.chain, k.blockTokens/p.blockTokens)
		return
	}
	p.unevenMatch.Reset()
	p.unevenMatch.Add(p.index, k.chain, 1)
	for e, blocks := range p.unevenMatch.Blocks {
		if blocks > 0 {
			whole := blocks * k.blockTokens / p.blockTokens
			p.match.Blocks[e] += whole
			p.match.Scores[e] += float64(p.unevenMatch.Scores[e] / float64(blocks) * float64(whole))
		}
	}
}

// Believed implements [scheduler.Believer]: whichever tier a block is in, it counts whole.
func (p *precisePrefix) Believed(_ *scheduler.Cycle, endpoint int) (int, bool) {
	return p.match.Blocks[endpoint] * p.blockTokens, true
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
	p.speculation.Add(p.index, c.Now, endpoint, p.promptsBySize[p.promptOf[endpoint]].chain)
}
