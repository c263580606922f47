// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/prefix"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// legacyPrefixCacheScorer is prefix-cache-scorer up to gie-v1.4, which kept the
// prefixes itself: what became [approxPrefixCacheProducer]. It differs in
//
//   - what a block is: so many bytes of the prompt, four of which it takes for a
//     token; whole blocks only, without a floor, and none of a shorter prompt;
//   - the limit: 256 blocks of a prompt, whatever their size;
//   - when it looks: for the endpoints that the filters of its profile left, the
//     first of which speaks for all; what is routed is added where it has looked;
//   - in gie-v0.5, a block of the model's name before all others, which counts, and
//     each profile adds what it picked before the next one runs.
//
// Scraped block sizes go before stated ones from gie-v1.1 on, and unless autoTune
// is off from gie-v1.2 on, which then also takes the engines' number of blocks for
// what an endpoint holds. The endpoint of a profile named prefill counts from
// gie-v1.3 on. Endpoints that are gone are forgotten from gie-v1.1 on. Behind the gate
// prepareDataPlugins it looks for all endpoints before any profile runs, attaches what
// it finds to them, and adds what is routed even where it has scored nothing.
var legacyPrefixCacheScorer = factory{
	pluginType: pluginType{
		name:         prefixCacheScorerType,
		registration: gie("..gie-v1.4"),
		category:     AffinityCategory,
		roles:        scorerRole,
		actsOutside:  attachesForReaders,
		freshness:    "the EPP's own index of prefixes, at once",
		parameters:   func() any { return &legacyPrefixParameters{} },
		treatment: func(c *Config, cluster *Cluster, p *plugin) (Treatment, string) {
			return Approximated, "a prompt has 4 bytes for each of its tokens"
		},
		obstacles: func(c *Config, _ *Cluster, p *plugin, at *field.Path) field.ErrorList {
			return append(sharedStates(c, p, at), p.Parameters.(*legacyPrefixParameters).obstacles(c.dialect.framework, at.Child("parameters"))...)
		},
	},
	newProducer: func(b *builder, p *plugin) producer {
		if !attaches(b.config, p) {
			return nil
		}
		return sharedLegacyPrefix(b, p, p.Parameters.(*legacyPrefixParameters))
	},
	newScorer: func(b *builder, p *plugin) scorer {
		return sharedLegacyPrefix(b, p, p.Parameters.(*legacyPrefixParameters))
	},
}

// legacyPrefixParameters count bytes up to gie-v1.3, tokens from scheduler-v0.6 on.
type legacyPrefixParameters struct {
	HashBlockSize          int  `json:"hashBlockSize" versions:"..gie-v1.0"`
	AutoTune               bool `json:"autoTune" versions:"gie-v1.2.."`
	BlockSize              int  `json:"blockSize" versions:"gie-v1.1.."`
	BlockSizeTokens        int  `json:"blockSizeTokens" versions:"scheduler-v0.6.."`
	MaxPrefixBlocksToMatch int  `json:"maxPrefixBlocksToMatch"`
	LRUCapacityPerServer   int  `json:"lruCapacityPerServer"`
}

const (
	legacyBlockBytes = 64
	legacyMaxBlocks  = 256
)

func (p *legacyPrefixParameters) defaults(at release) {
	*p = legacyPrefixParameters{
		HashBlockSize:          legacyBlockBytes,
		AutoTune:               true,
		BlockSize:              legacyBlockBytes,
		MaxPrefixBlocksToMatch: legacyMaxBlocks,
		LRUCapacityPerServer:   defaultLRUCapacity,
	}
	if at >= scheduler06 {
		p.BlockSize = 0
	}
}

func (p *legacyPrefixParameters) check(l *loader, path *field.Path) {
	replace := func(name string, value *int, standard int) {
		if *value <= 0 {
			l.notice(path.Child(name), "replaced-value", "%d is replaced by %d", *value, standard)
			*value = standard
		}
	}
	replace("lruCapacityPerServer", &p.LRUCapacityPerServer, defaultLRUCapacity)
	if l.clock < gie12 {
		return
	}
	replace("maxPrefixBlocksToMatch", &p.MaxPrefixBlocksToMatch, legacyMaxBlocks)
	switch {
	case l.clock < scheduler06:
		replace("blockSize", &p.BlockSize, legacyBlockBytes)
	case p.BlockSize > 0 && p.BlockSizeTokens <= 0:
		l.add(field.Invalid(path.Child("blockSize"), p.BlockSize, "is deprecated; use blockSizeTokens, in tokens"))
	default:
		if p.BlockSize = 0; p.BlockSizeTokens <= 0 {
			p.BlockSizeTokens = defaultBlockTokens
		}
	}
}

// obstacles are blocks of no bytes, over which the EPP hangs, and negative limits,
// over which it crashes.
func (p *legacyPrefixParameters) obstacles(at release, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if at < gie11 && p.HashBlockSize <= 0 {
		errs = append(errs, field.Invalid(path.Child("hashBlockSize"), p.HashBlockSize, "the EPP would hang over the first request"))
	}
	if at == gie11 && p.BlockSize <= 0 {
		errs = append(errs, field.Invalid(path.Child("blockSize"), p.BlockSize, "the EPP would hang over the first request"))
	}
	if p.MaxPrefixBlocksToMatch < 0 {
		errs = append(errs, field.Invalid(path.Child("maxPrefixBlocksToMatch"), p.MaxPrefixBlocksToMatch, "the EPP would crash over the first request"))
	}
	return errs
}

// sharedStates are of scorers of gie-v0.5 that find different blocks: they all leave
// them behind under one name, and add those of the last one.
func sharedStates(c *Config, p *plugin, at *field.Path) field.ErrorList {
	if c.dialect.framework >= gie10 {
		return nil
	}
	mine, _ := estimating(p)
	for _, other := range c.document.Plugins {
		if other == p {
			break
		}
		if theirs, ok := estimating(other); ok && *mine != *theirs {
			return field.ErrorList{field.Invalid(at, p.Name, other.Name+" overwrites what it finds, or the other way round, which is not simulated")}
		}
	}
	return nil
}

// estimating returns the parameters of a scorer with an index of its own.
func estimating(p *plugin) (*legacyPrefixParameters, bool) {
	switch parameters := p.Parameters.(type) {
	case *legacyPrefixParameters:
		return parameters, true
	case *modalPrefixParameters:
		return parameters.legacy(), !parameters.tracks()
	}
	return nil, false
}

// legacyBytesPerToken is what the EPP takes for a token.
const legacyBytesPerToken = 4

// blockBytes is the size of a block where the first candidate has scraped blocks
// of so many tokens.
func (p *legacyPrefixParameters) blockBytes(at release, scraped int) int {
	stated := p.BlockSize
	switch {
	case at < gie11:
		return p.HashBlockSize
	case at >= scheduler06:
		stated = p.BlockSizeTokens * legacyBytesPerToken
	}
	if scraped > 0 && (at < gie12 || p.AutoTune) {
		return scraped * legacyBytesPerToken
	}
	return stated
}

type legacyPrefix struct {
	parameters *legacyPrefixParameters
	at         release
	// bytesPerToken is how many bytes of a prompt a token has.
	bytesPerToken float64
	index         *prefix.Index
	prefill       bool // whether the pick of the prefill profile is followed

	matched *prefixMatch
	// attached is what endpoints are told; nil where nothing is.
	attached *prefixMatch
	// stored is the cycle that the chain is of.
	stored uint64
	chain  []prompt.Stretch
	last   simtime.Time // of a request
}

// sharedLegacyPrefix is what an instance remembers, for all profiles that it is in.
func sharedLegacyPrefix(b *builder, p *plugin, parameters *legacyPrefixParameters) *legacyPrefix {
	return shared(b, p, func() *legacyPrefix { return newLegacyPrefix(b, p.Name, parameters) })
}

func newLegacyPrefix(b *builder, name string, parameters *legacyPrefixParameters) *legacyPrefix {
	s := &legacyPrefix{
		parameters:    parameters,
		at:            b.dialect.framework,
		bytesPerToken: b.bytesPerToken(),
		index:         prefix.NewIndex(b.Endpoints),
		prefill:       b.dialect.framework >= gie13 && b.stages.prefill == prefillProfile,
		matched:       b.prefixMatch(name),
	}
	if attaches(b.config, b.plugins[name]) {
		s.attached = b.prefixMatch(attachedPrefix)
	}
	return s
}

// attachedPrefix is where all prefix scorers put what they attach to endpoints.
const attachedPrefix = approxPrefixCacheProducerType

// modelBlock is the hash of the model's name.
var modelBlock = prompt.Stretch{ID: math.MaxUint64, Blocks: 1}

func (s *legacyPrefix) score(c *cycle, candidates []int, w weight, scores []float64) {
	s.look(c, c.scrapes[candidates[0]].BlockTokens)
	s.matched.leave(c, slices.Max(s.matched.blocks) > 0)
	total := float64(s.matched.totalBlocks)
	for i, e := range candidates {
		if scores[i] = w.of(0); total > 0 {
			scores[i] = w.of(float64(s.matched.blocks[e]) / total)
		}
	}
}

// produce looks for all endpoints. What is attached counts what the EPP takes for
// tokens.
func (s *legacyPrefix) produce(c *cycle) {
	scraped := c.scrapes[c.first()].BlockTokens
	s.look(c, scraped)
	s.attached.blockTokens = s.parameters.blockBytes(s.at, scraped) / legacyBytesPerToken
	s.attached.totalBlocks = s.matched.totalBlocks
	copy(s.attached.blocks, s.matched.blocks)
}

// look finds the request's blocks.
func (s *legacyPrefix) look(c *cycle, scraped int) {
	if s.stored != c.number && s.at >= gie11 {
		s.last = forgetGone(c, s.index, s.last)
	}
	s.stored, s.matched.looked = c.number, c.number
	s.matched.blockTokens = max(1, int(math.Round(float64(s.parameters.blockBytes(s.at, scraped))/s.bytesPerToken)))
	s.chain, s.matched.totalBlocks = s.chain[:0], 0
	if s.at < gie10 {
		s.chain = append(s.chain, modelBlock)
	}
	models := len(s.chain)
	s.chain = c.prompt.FullStretches(s.chain, s.matched.blockTokens)
	if len(s.chain) == models {
		// Not a single block: the model's does not count either.
		s.chain = s.chain[:0]
	}
	prompt.ForAdapter(s.chain, c.adapter)
	if len(s.chain) > 0 {
		s.chain, s.matched.totalBlocks = truncate(s.chain, s.parameters.MaxPrefixBlocksToMatch+models)
	}
	s.index.Match(s.chain, s.matched.blocks)
}

// picked adds what its profile picked in gie-v0.5.
func (s *legacyPrefix) picked(c *cycle, endpoint int) {
	if s.at < gie10 && s.stored == c.number && len(s.chain) > 0 {
		s.index.Insert(s.chain, endpoint, s.capacity(c, endpoint))
	}
}

func (s *legacyPrefix) routed(c *cycle, p picks) {
	if s.at < gie10 || s.stored != c.number || len(s.chain) == 0 {
		return
	}
	s.index.Insert(s.chain, p.primary, s.capacity(c, p.primary))
	if s.prefill && p.prefill != none {
		s.index.Find(s.chain)
		s.index.Insert(s.chain, p.prefill, s.capacity(c, p.prefill))
	}
}

func (s *legacyPrefix) capacity(c *cycle, endpoint int) int {
	if blocks := c.scrapes[endpoint].Blocks; s.at >= gie12 && s.parameters.AutoTune && blocks > 0 {
		return blocks
	}
	return s.parameters.LRUCapacityPerServer
}
