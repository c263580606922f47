// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/prefix"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// legacyPrefixCacheScorer is prefix-cache-scorer up to gie-v1.4, which kept the
// prefixes itself: what became [approxPrefixCacheProducer]. It differs in
//
//   - what a block is: a number of bytes of the prompt, four of which it takes for a
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
var legacyPrefixCacheScorer = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         config.PrefixCacheScorerType,
		Registration: version.GIE("..gie-v1.4"),
		Category:     config.AffinityCategory,
		Roles:        config.ScorerRole,
		ActsOutside:  attachesForReaders,
		Freshness:    "the EPP's own index of prefixes, at once",
		Parameters:   func() any { return &legacyPrefixParameters{} },
		Treatment: func(c *config.Config, cluster *config.Cluster, p *config.Plugin) (config.Treatment, string) {
			return config.Approximated, "a prompt has 4 bytes for each of its tokens"
		},
		Obstacles: func(c *config.Config, _ *config.Cluster, p *config.Plugin, at *field.Path) field.ErrorList {
			return append(sharedStates(c, p, at), p.Parameters.(*legacyPrefixParameters).obstacles(c.Dialect.Framework, at.Child("parameters"))...)
		},
	},
	NewProducer: func(b *scheduler.Builder, p *config.Plugin) scheduler.Producer {
		if !attachesMatch(b.Config, p) {
			return nil
		}
		return sharedLegacyPrefix(b, p, p.Parameters.(*legacyPrefixParameters))
	},
	NewScorer: func(b *scheduler.Builder, p *config.Plugin) scheduler.Scorer {
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

func (p *legacyPrefixParameters) Defaults(at version.Release) {
	*p = legacyPrefixParameters{
		HashBlockSize:          legacyBlockBytes,
		AutoTune:               true,
		BlockSize:              legacyBlockBytes,
		MaxPrefixBlocksToMatch: legacyMaxBlocks,
		LRUCapacityPerServer:   defaultLRUCapacity,
	}
	if at >= version.Scheduler06 {
		p.BlockSize = 0
	}
}

func (p *legacyPrefixParameters) Check(l *config.Loader, path *field.Path) {
	replace := func(name string, value *int, standard int) {
		if *value <= 0 {
			l.Notice(path.Child(name), "replaced-value", "%d is replaced by %d", *value, standard)
			*value = standard
		}
	}
	replace("lruCapacityPerServer", &p.LRUCapacityPerServer, defaultLRUCapacity)
	if l.Clock < version.GIE12 {
		return
	}
	replace("maxPrefixBlocksToMatch", &p.MaxPrefixBlocksToMatch, legacyMaxBlocks)
	switch {
	case l.Clock < version.Scheduler06:
		replace("blockSize", &p.BlockSize, legacyBlockBytes)
	case p.BlockSize > 0 && p.BlockSizeTokens <= 0:
		l.Add(field.Invalid(path.Child("blockSize"), p.BlockSize, "is deprecated; use blockSizeTokens, in tokens"))
	default:
		if p.BlockSize = 0; p.BlockSizeTokens <= 0 {
			p.BlockSizeTokens = defaultBlockTokens
		}
	}
}

// obstacles are blocks of no bytes, over which the EPP hangs, and negative limits,
// over which it crashes.
func (p *legacyPrefixParameters) obstacles(at version.Release, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if at < version.GIE11 && p.HashBlockSize <= 0 {
		errs = append(errs, field.Invalid(path.Child("hashBlockSize"), p.HashBlockSize, "the EPP would hang over the first request"))
	}
	if at == version.GIE11 && p.BlockSize <= 0 {
		errs = append(errs, field.Invalid(path.Child("blockSize"), p.BlockSize, "the EPP would hang over the first request"))
	}
	if p.MaxPrefixBlocksToMatch < 0 {
		errs = append(errs, field.Invalid(path.Child("maxPrefixBlocksToMatch"), p.MaxPrefixBlocksToMatch, "the EPP would crash over the first request"))
	}
	return errs
}

// sharedStates are of scorers of gie-v0.5 that find different blocks: they all leave
// them behind under one name, and add those of the last one.
func sharedStates(c *config.Config, p *config.Plugin, at *field.Path) field.ErrorList {
	if c.Dialect.Framework >= version.GIE10 {
		return nil
	}
	mine, _ := estimating(p)
	for _, other := range c.Document.Plugins {
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
func estimating(p *config.Plugin) (*legacyPrefixParameters, bool) {
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
// of a number of tokens.
func (p *legacyPrefixParameters) blockBytes(at version.Release, scraped int) int {
	stated := p.BlockSize
	switch {
	case at < version.GIE11:
		return p.HashBlockSize
	case at >= version.Scheduler06:
		stated = p.BlockSizeTokens * legacyBytesPerToken
	}
	if scraped > 0 && (at < version.GIE12 || p.AutoTune) {
		return scraped * legacyBytesPerToken
	}
	return stated
}

type legacyPrefix struct {
	parameters *legacyPrefixParameters
	at         version.Release
	// bytesPerToken is how many bytes of a prompt a token has.
	bytesPerToken float64
	index         *prefix.Index
	prefill       bool // whether the pick of the prefill profile is followed

	matched *scheduler.PrefixMatch
	// attached is what endpoints learn; nil if they learn nothing.
	attached *scheduler.PrefixMatch
	// stored is the cycle that the chain is of.
	stored uint64
	chain  []prompt.Stretch
	last   simtime.Time // of a request
}

// sharedLegacyPrefix is what an instance remembers, for all profiles that it is in.
func sharedLegacyPrefix(b *scheduler.Builder, p *config.Plugin, parameters *legacyPrefixParameters) *legacyPrefix {
	return scheduler.Shared(b, p, func() *legacyPrefix { return newLegacyPrefix(b, p.Name, parameters) })
}

func newLegacyPrefix(b *scheduler.Builder, name string, parameters *legacyPrefixParameters) *legacyPrefix {
	s := &legacyPrefix{
		parameters:    parameters,
		at:            b.Dialect.Framework,
		bytesPerToken: b.TokenBytes(),
		index:         prefix.NewIndex(b.Endpoints),
		prefill:       b.Dialect.Framework >= version.GIE13 && b.Stages.Prefill == config.PrefillProfile,
		matched:       b.PrefixMatch(name),
	}
	if attachesMatch(b.Config, b.Plugins[name]) {
		s.attached = b.PrefixMatch(attachedPrefix)
	}
	return s
}

// attachedPrefix is where all prefix scorers put what they attach to endpoints.
const attachedPrefix = config.ApproxPrefixCacheProducerType

// modelBlock is the hash of the model's name.
var modelBlock = prompt.Stretch{ID: math.MaxUint64, Blocks: 1}

func (s *legacyPrefix) Score(c *scheduler.Cycle, candidates []int, w scheduler.Weight, scores []float64) {
	s.Look(c, c.Scrapes[candidates[0]].BlockTokens)
	s.matched.Publish(c, slices.Max(s.matched.Blocks) > 0)
	total := float64(s.matched.TotalBlocks)
	for i, e := range candidates {
		if scores[i] = w.Of(0); total > 0 {
			scores[i] = w.Of(float64(s.matched.Blocks[e]) / total)
		}
	}
}

// Produce looks for all endpoints. What is attached counts what the EPP takes for
// tokens.
func (s *legacyPrefix) Produce(c *scheduler.Cycle) {
	scraped := c.Scrapes[c.First()].BlockTokens
	s.Look(c, scraped)
	s.attached.BlockTokens = s.parameters.blockBytes(s.at, scraped) / legacyBytesPerToken
	s.attached.TotalBlocks = s.matched.TotalBlocks
	copy(s.attached.Blocks, s.matched.Blocks)
}

// Look finds the request's blocks.
func (s *legacyPrefix) Look(c *scheduler.Cycle, scraped int) {
	if s.stored != c.Number && s.at >= version.GIE11 {
		s.last = forgetGone(c, s.index, s.last)
	}
	s.stored, s.matched.Looked = c.Number, c.Number
	s.matched.BlockTokens = max(1, int(math.Round(float64(s.parameters.blockBytes(s.at, scraped))/s.bytesPerToken)))
	s.chain, s.matched.TotalBlocks = s.chain[:0], 0
	if s.at < version.GIE10 {
		s.chain = append(s.chain, modelBlock)
	}
	models := len(s.chain)
	s.chain = c.Prompt.FullStretches(s.chain, s.matched.BlockTokens)
	if len(s.chain) == models {
		// Not a single block: the model's does not count either.
		s.chain = s.chain[:0]
	}
	prompt.ForAdapter(s.chain, c.Adapter)
	if len(s.chain) > 0 {
		s.chain, s.matched.TotalBlocks = truncate(s.chain, s.parameters.MaxPrefixBlocksToMatch+models)
	}
	s.matched.Forget()
	s.matched.Held = s.index.Match(s.chain, s.matched.Blocks, s.matched.Held)
}

// Believed implements [scheduler.Believer]. The block of the model's name is none of the
// prompt.
func (s *legacyPrefix) Believed(c *scheduler.Cycle, endpoint int) (int, bool) {
	blocks := s.matched.Blocks[endpoint]
	if s.at < version.GIE10 {
		blocks = max(0, blocks-1)
	}
	return blocks * s.matched.BlockTokens, s.stored == c.Number
}

// Full implements [scheduler.Forgetter].
func (s *legacyPrefix) Full(endpoint int) int { return s.index.Full(endpoint) * s.matched.BlockTokens }

// Picked adds what its profile picked in gie-v0.5.
func (s *legacyPrefix) Picked(c *scheduler.Cycle, endpoint int) {
	if s.at < version.GIE10 && s.stored == c.Number && len(s.chain) > 0 {
		s.index.Insert(s.chain, 0, endpoint, s.capacity(c, endpoint))
	}
}

func (s *legacyPrefix) Routed(c *scheduler.Cycle, p scheduler.Picks) {
	if s.at < version.GIE10 || s.stored != c.Number || len(s.chain) == 0 {
		return
	}
	s.index.Insert(s.chain, 0, p.Primary, s.capacity(c, p.Primary))
	if s.prefill && p.Prefill != scheduler.None {
		s.index.Find(s.chain)
		s.index.Insert(s.chain, 0, p.Prefill, s.capacity(c, p.Prefill))
	}
}

func (s *legacyPrefix) capacity(c *scheduler.Cycle, endpoint int) int {
	if blocks := c.Scrapes[endpoint].Blocks; s.at >= version.GIE12 && s.parameters.AutoTune && blocks > 0 {
		return blocks
	}
	return s.parameters.LRUCapacityPerServer
}
