// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"math"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/prefix"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// approxPrefixCacheProducer guesses which endpoint holds which prefix from what
// was routed there; engines tell it nothing. A prompt is a chain of blocks, the
// partial last one included. With autoTune the block size and the number of
// blocks that an endpoint is believed to hold come from its scraped metrics;
// blocks have at least 64 tokens all the same.
//
// Prompts for different LoRA adapters have nothing in common: the chain begins
// with the model's name, and to the EPP an adapter is a model.
//
// What is routed also counts for the endpoint that a profile named prefill chose.
// Every two minutes from time 0 on, endpoints that are gone by then are
// forgotten.
//
// Before router-v0.9 it is [oldApproxPrefix].
var approxPrefixCacheProducer = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         config.ApproxPrefixCacheProducerType,
		Registration: version.GIE("gie-v1.5.."),
		Roles:        config.ProducerRole,
		Parameters: func() any {
			return &approxPrefixParameters{
				AutoTune:               true,
				BlockSizeTokens:        defaultBlockTokens,
				MaxPrefixBlocksToMatch: 2048,
				MaxPrefixTokensToMatch: 131072,
				LRUCapacityPerServer:   defaultLRUCapacity,
			}
		},
		Needs: config.NeedsTokens,
		Produces: func(p *config.Plugin) []config.DataKey {
			return []config.DataKey{{Kind: config.PrefixMatchData, Producer: p.Name}}
		},
		Freshness: "the requests routed there, without delay; does not see evictions",
		Treatment: treatOldApproxPrefix,
		Obstacles: oldApproxPrefixObstacles,
	},
	NewProducer: func(b *scheduler.Builder, p *config.Plugin) scheduler.Producer {
		a := &approxPrefix{
			parameters: p.Parameters.(*approxPrefixParameters),
			match:      b.PrefixMatch(dataName(b, p)),
			index:      prefix.NewIndex(b.Endpoints),
			prefill:    b.Stages.Prefill == config.PrefillProfile,
		}
		if b.Dialect.Framework < version.Router09 {
			return &oldApproxPrefix{a, b.Dialect.Framework, b.TokenBytes()}
		}
		a.match.Listed = !b.ScoresFew()
		return a
	},
}

const (
	defaultBlockTokens = 16
	// minBlockTokens bounds the memory of a real EPP.
	minBlockTokens     = 64
	defaultLRUCapacity = 31250
)

type approxPrefixParameters struct {
	AutoTune        bool `json:"autoTune"`
	BlockSizeTokens int  `json:"blockSizeTokens"`
	// BlockSize is the old name of BlockSizeTokens.
	BlockSize int `json:"blockSize,omitempty"`
	// MaxPrefixBlocksToMatch only counts where MaxPrefixTokensToMatch is 0; 0
	// for both is no limit.
	MaxPrefixBlocksToMatch int `json:"maxPrefixBlocksToMatch"`
	MaxPrefixTokensToMatch int `json:"maxPrefixTokensToMatch"`
	LRUCapacityPerServer   int `json:"lruCapacityPerServer"`
}

func (p *approxPrefixParameters) Check(l *config.Loader, path *field.Path) {
	if l.Clock < version.Router09 {
		p.checkOld(l, path)
		return
	}
	if p.BlockSize != 0 {
		l.Notice(path.Child("blockSize"), "deprecated", "deprecated, use blockSizeTokens")
		if p.BlockSize > 0 && p.BlockSizeTokens == defaultBlockTokens {
			p.BlockSizeTokens = p.BlockSize
		}
		p.BlockSize = 0
	}
	if p.LRUCapacityPerServer <= 0 {
		l.Notice(path.Child("lruCapacityPerServer"), "replaced-value", "%d is replaced by %d", p.LRUCapacityPerServer, defaultLRUCapacity)
		p.LRUCapacityPerServer = defaultLRUCapacity
	}
	p.warnOfNoEffect(l, path)
	p.checkLimits(l, path)
}

func (p *approxPrefixParameters) checkLimits(l *config.Loader, path *field.Path) {
	if !p.AutoTune && p.BlockSizeTokens <= 0 {
		l.Add(field.Invalid(path.Child("blockSizeTokens"), p.BlockSizeTokens, "must be greater than 0 where autoTune is off"))
	}
	if p.MaxPrefixTokensToMatch < 0 {
		l.Add(field.Invalid(path.Child("maxPrefixTokensToMatch"), p.MaxPrefixTokensToMatch, "must not be negative"))
	}
}

// warnOfNoEffect is about settings that something else overrides. Engines always
// report their block size and count here.
func (p *approxPrefixParameters) warnOfNoEffect(l *config.Loader, path *field.Path) {
	if p.BlockSizeTokens != defaultBlockTokens {
		switch at := path.Child("blockSizeTokens"); {
		case p.AutoTune:
			l.Notice(at, "auto-tune-overrides", "no effect: autoTune takes the engines' block size, %d at least", minBlockTokens)
		case p.BlockSizeTokens < minBlockTokens:
			l.Notice(at, "block-size-below-floor", "%d is raised to %d", p.BlockSizeTokens, minBlockTokens)
		}
	}
	if p.LRUCapacityPerServer != defaultLRUCapacity && p.AutoTune {
		l.Notice(path.Child("lruCapacityPerServer"), "auto-tune-overrides", "no effect: autoTune takes the engines' number of blocks")
	}
}

// blockTokens is the block size; the first endpoint speaks for all.
func (p *approxPrefixParameters) blockTokens(c *scheduler.Cycle) int {
	return max(p.effectiveBlockTokens(c), minBlockTokens)
}

// effectiveBlockTokens is the block size as it is scraped or stated.
func (p *approxPrefixParameters) effectiveBlockTokens(c *scheduler.Cycle) int {
	if first := &c.Scrapes[c.First()]; p.AutoTune && first.BlockTokens > 0 {
		return first.BlockTokens
	}
	return p.BlockSizeTokens
}

// maxBlocks bounds the blocks of a prompt that are looked at.
func (p *approxPrefixParameters) maxBlocks(blockTokens int) int {
	switch {
	case p.MaxPrefixTokensToMatch > 0:
		return p.MaxPrefixTokensToMatch / blockTokens
	case p.MaxPrefixBlocksToMatch == 0:
		return math.MaxInt // no limit
	default:
		return max(0, p.MaxPrefixBlocksToMatch)
	}
}

// capacity is how many blocks an endpoint is believed to hold. Scraped ones are
// the engine's, which may be smaller than those that are counted here.
func (p *approxPrefixParameters) capacity(c *scheduler.Cycle, endpoint int) int {
	if blocks := c.Scrapes[endpoint].Blocks; p.AutoTune && blocks > 0 {
		return blocks
	}
	return p.LRUCapacityPerServer
}

type approxPrefix struct {
	parameters *approxPrefixParameters
	match      *scheduler.PrefixMatch
	index      *prefix.Index
	// The request under way: a chain, and the number of blocks behind it that no other
	// request has.
	chain []prompt.Stretch
	own   int
	// prefill is whether the pick of the prefill profile is followed.
	prefill bool
	last    simtime.Time // of a request
}

// podCheckInterval is how often endpoints that are gone are looked for.
const podCheckInterval = 2 * time.Minute

// forgetGone forgets the endpoints that are gone if the time to look for them has
// come since the last request, and returns the time of this one.
func forgetGone(c *scheduler.Cycle, index *prefix.Index, last simtime.Time) simtime.Time {
	if c.Down == nil || time.Duration(c.Now)/podCheckInterval == time.Duration(last)/podCheckInterval {
		return c.Now
	}
	for e, down := range c.Down {
		if down {
			index.ForgetEndpoint(e)
		}
	}
	return c.Now
}

func (a *approxPrefix) Produce(c *scheduler.Cycle) {
	a.last = forgetGone(c, a.index, a.last)
	a.chain = a.chain[:0]
	a.match.TotalBlocks = 0
	blockTokens := a.parameters.blockTokens(c)
	a.chain, a.own = c.Prompt.SharedStretches(a.chain, blockTokens)
	maxBlocks := a.parameters.maxBlocks(blockTokens)
	a.chain, a.match.TotalBlocks = truncate(a.chain, maxBlocks)
	a.own = min(a.own, maxBlocks-a.match.TotalBlocks)
	a.match.TotalBlocks += a.own
	a.match.BlockTokens = blockTokens
	prompt.ForAdapter(a.chain, c.Adapter)
	a.match.Forget()
	a.match.Held = a.index.Match(a.chain, a.match.Blocks, a.match.Held)
}

// truncate cuts a chain after a number of blocks, and returns the number of blocks left.
func truncate(chain []prompt.Stretch, maxBlocks int) ([]prompt.Stretch, int) {
	blocks := 0
	for i := range chain {
		left := maxBlocks - blocks
		if left == 0 {
			return chain[:i], blocks
		}
		if int(chain[i].Blocks) > left {
			chain[i].Blocks = int32(left)
		}
		blocks += int(chain[i].Blocks)
	}
	return chain, blocks
}

// Believed implements [scheduler.Believer].
func (a *approxPrefix) Believed(_ *scheduler.Cycle, endpoint int) (int, bool) {
	return a.match.Blocks[endpoint] * a.match.BlockTokens, true
}

// Full implements [scheduler.Forgetter].
func (a *approxPrefix) Full(endpoint int) int { return a.index.Full(endpoint) * a.match.BlockTokens }

func (a *approxPrefix) Routed(c *scheduler.Cycle, p scheduler.Picks) {
	a.index.Insert(a.chain, a.own, p.Primary, a.parameters.capacity(c, p.Primary))
	// The same blocks again would change nothing of the same endpoint.
	if a.prefill && p.Prefill != scheduler.None && p.Prefill != p.Primary {
		a.index.Find(a.chain)
		a.index.Insert(a.chain, a.own, p.Prefill, a.parameters.capacity(c, p.Prefill))
	}
}
