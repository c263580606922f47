// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"math"

	"k8s.io/apimachinery/pkg/util/validation/field"

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
	at            release
	bytesPerToken float64
}

const oldMaxBlocks = 256

func (p *approxPrefixParameters) defaults(at release) {
	if at < router09 {
		p.MaxPrefixBlocksToMatch, p.MaxPrefixTokensToMatch = oldMaxBlocks, 0
	}
}

func (p *approxPrefixParameters) checkOld(l *loader, path *field.Path) {
	switch at := path.Child("blockSize"); {
	case p.BlockSize > 0 && p.BlockSizeTokens <= 0:
		l.add(field.Invalid(at, p.BlockSize, "is deprecated; use blockSizeTokens, in tokens"))
	case p.BlockSize != 0:
		l.notice(at, "deprecated", "deprecated, no effect; use blockSizeTokens")
	}
	p.BlockSize = 0
	if p.LRUCapacityPerServer != defaultLRUCapacity {
		l.notice(path.Child("lruCapacityPerServer"), "replaced-value", "no effect: %s takes %d for what engines do not report", l.dialect.name, defaultLRUCapacity)
		p.LRUCapacityPerServer = defaultLRUCapacity
	}
	p.checkLimits(l, path)
}

func treatOldApproxPrefix(c *Config, cluster *Cluster, _ *plugin) (Treatment, string) {
	if c.dialect.framework >= router09 {
		return Exact, ""
	}
	return Approximated, fmt.Sprintf("a prompt has %v bytes for each of its tokens, and nothing else has any", cluster.bytesPerToken())
}

// oldApproxPrefixObstacles are negative limits, over which the EPP crashes, and what
// makes the same data at the same time.
func oldApproxPrefixObstacles(c *Config, _ *Cluster, p *plugin, at *field.Path) field.ErrorList {
	if c.dialect.framework >= router09 {
		return nil
	}
	var errs field.ErrorList
	parameters := p.Parameters.(*approxPrefixParameters)
	if parameters.MaxPrefixTokensToMatch <= 0 && parameters.MaxPrefixBlocksToMatch < 0 {
		errs = append(errs, field.Invalid(at.Child("parameters", "maxPrefixBlocksToMatch"), parameters.MaxPrefixBlocksToMatch, "the EPP would crash over the first request"))
	}
	return append(errs, severalTell(c, p, at)...)
}

// dataName is the name under which a producer's data are read. Before router-v0.9
// that is the type's, and of several instances the last one is heard.
func dataName(b *builder, p *plugin) string {
	if b.dialect.framework >= router09 {
		return p.Name
	}
	last := p
	for _, other := range b.document.Plugins {
		if other.Type == p.Type {
			last = other
		}
	}
	if last == p {
		return p.Type
	}
	return p.Type + "/" + p.Name
}

func (a *oldApproxPrefix) produce(c *cycle) {
	a.last = forgetGone(c, a.index, a.last)
	a.chain, a.match.totalBlocks = a.chain[:0], 0
	blockTokens := a.parameters.toldBlockTokens(c)
	if blockTokens > 0 {
		a.chain = a.cut(c, blockTokens)
		a.chain, a.match.totalBlocks = truncate(a.chain, a.maxBlocks(blockTokens))
	}
	a.match.blockTokens = blockTokens
	prompt.ForAdapter(a.chain, c.adapter)
	a.index.Match(a.chain, a.match.blocks)
}

// cut cuts the text of a prompt into blocks of what the EPP takes for so many
// tokens.
func (a *oldApproxPrefix) cut(c *cycle, blockTokens int) []prompt.Stretch {
	size := max(1, int(math.Round(float64(blockTokens*estimatedBytes)/a.bytesPerToken)))
	if a.at >= schedulerMay && c.tokens >= size {
		return c.prompt.AllStretches(a.chain, size)
	}
	return c.prompt.FullStretches(a.chain, size)
}

func (a *oldApproxPrefix) maxBlocks(blockTokens int) int {
	if a.parameters.MaxPrefixTokensToMatch > 0 {
		return a.parameters.MaxPrefixTokensToMatch / blockTokens
	}
	return a.parameters.MaxPrefixBlocksToMatch
}
