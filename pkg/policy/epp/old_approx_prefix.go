// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"math"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/prompt"
)

// oldApproxPrefix is approx-prefix-cache-producer before router-v0.9, which cut
// the text of a prompt rather than its tokens. It differs in
//
//   - what a block is: four bytes for each of its tokens, without a floor; none of
//     a prompt that is shorter than one, and in gie-v1.5 whole blocks only;
//   - the limit: 256 blocks unless it is stated, and 0 is none at all;
//   - what an endpoint holds where its engine does not say so: the default,
//     whatever is stated;
//   - its name: all instances make the same data, and the last one is heard.
type oldApproxPrefix struct {
	*approxPrefix
	at            version.Release
	bytesPerToken float64
}

const oldMaxBlocks = 256

func (p *approxPrefixParameters) Defaults(at version.Release) {
	if at < version.Router09 {
		p.MaxPrefixBlocksToMatch, p.MaxPrefixTokensToMatch = oldMaxBlocks, 0
	}
}

func (p *approxPrefixParameters) checkOld(l *config.Loader, path *field.Path) {
	switch at := path.Child("blockSize"); {
	case p.BlockSize > 0 && p.BlockSizeTokens <= 0:
		l.Add(field.Invalid(at, p.BlockSize, "is deprecated; use blockSizeTokens, in tokens"))
	case p.BlockSize != 0:
		l.Notice(at, "deprecated", "deprecated, no effect; use blockSizeTokens")
	}
	p.BlockSize = 0
	if p.LRUCapacityPerServer != defaultLRUCapacity {
		l.Notice(path.Child("lruCapacityPerServer"), "replaced-value", "no effect: %s takes %d for what engines do not report", l.Dialect.Name, defaultLRUCapacity)
		p.LRUCapacityPerServer = defaultLRUCapacity
	}
	p.checkLimits(l, path)
}

func treatOldApproxPrefix(c *config.Config, cluster *config.Cluster, _ *config.Plugin) (config.Treatment, string) {
	if c.Dialect.Framework >= version.Router09 {
		return config.Exact, ""
	}
	return config.Approximated, fmt.Sprintf("a prompt has %v bytes for each of its tokens, and nothing else has any", cluster.TokenBytes())
}

// oldApproxPrefixObstacles are negative limits, over which the EPP crashes, and what
// makes the same data at the same time.
func oldApproxPrefixObstacles(c *config.Config, _ *config.Cluster, p *config.Plugin, at *field.Path) field.ErrorList {
	if c.Dialect.Framework >= version.Router09 {
		return nil
	}
	var errs field.ErrorList
	parameters := p.Parameters.(*approxPrefixParameters)
	if parameters.MaxPrefixTokensToMatch <= 0 && parameters.MaxPrefixBlocksToMatch < 0 {
		errs = append(errs, field.Invalid(at.Child("parameters", "maxPrefixBlocksToMatch"), parameters.MaxPrefixBlocksToMatch, "the EPP would crash over the first request"))
	}
	return append(errs, checkSeveralWriters(c, p, at)...)
}

// dataName is the name under which a producer's data are read. Before router-v0.9
// that is the type's, and of several instances the last one is heard.
func dataName(b *scheduler.Builder, p *config.Plugin) string {
	if b.Dialect.Framework >= version.Router09 {
		return p.Name
	}
	last := p
	for _, other := range b.Document.Plugins {
		if other.Type == p.Type {
			last = other
		}
	}
	if last == p {
		return p.Type
	}
	return p.Type + "/" + p.Name
}

func (a *oldApproxPrefix) Produce(c *scheduler.Cycle) {
	a.last = forgetGone(c, a.index, a.last)
	a.chain, a.match.TotalBlocks = a.chain[:0], 0
	blockTokens := a.parameters.effectiveBlockTokens(c)
	if blockTokens > 0 {
		a.chain = a.cut(c, blockTokens)
		a.chain, a.match.TotalBlocks = truncate(a.chain, a.maxBlocks(blockTokens))
	}
	a.match.BlockTokens = blockTokens
	prompt.ForAdapter(a.chain, c.Adapter)
	a.match.Forget()
	a.match.Held = a.index.Match(a.chain, a.match.Blocks, a.match.Held)
}

// cut cuts the text of a prompt into blocks of what the EPP takes for a number of
// tokens.
func (a *oldApproxPrefix) cut(c *scheduler.Cycle, blockTokens int) []prompt.Stretch {
	size := a.size(blockTokens)
	if a.at >= version.SchedulerMay && c.Tokens >= size {
		return c.Prompt.AllStretches(a.chain, size)
	}
	return c.Prompt.FullStretches(a.chain, size)
}

// size is how many tokens of a prompt are in a block of what the EPP takes for a number of tokens.
func (a *oldApproxPrefix) size(blockTokens int) int {
	return max(1, int(math.Round(float64(blockTokens*config.EstimatedBytesPerToken)/a.bytesPerToken)))
}

// Believed implements [scheduler.Believer].
func (a *oldApproxPrefix) Believed(_ *scheduler.Cycle, endpoint int) (int, bool) {
	return a.match.Blocks[endpoint] * a.size(a.match.BlockTokens), true
}

// Full implements [scheduler.Forgetter].
func (a *oldApproxPrefix) Full(endpoint int) int {
	return a.index.Full(endpoint) * a.size(a.match.BlockTokens)
}

func (a *oldApproxPrefix) maxBlocks(blockTokens int) int {
	if a.parameters.MaxPrefixTokensToMatch > 0 {
		return a.parameters.MaxPrefixTokensToMatch / blockTokens
	}
	return a.parameters.MaxPrefixBlocksToMatch
}
