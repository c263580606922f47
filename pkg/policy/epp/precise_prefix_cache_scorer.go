// SPDX-License-Identifier: Apache-2.0

package epp

import "k8s.io/apimachinery/pkg/util/validation/field"

const precisePrefixCacheScorerType = "precise-prefix-cache-scorer"

// precisePrefixCacheScorer is [precisePrefixCacheProducer] and
// [prefixCacheScorer] in one, deprecated. Where there is a producer of that type
// already, it only scores what that one knows, and its own parameters are not
// read.
var precisePrefixCacheScorer = pluginType{
	name:  precisePrefixCacheScorerType,
	own:   true,
	since: scheduler03,
	roles: scorerRole | producerRole | extractorRole,
	parameters: func() any {
		parameters := preciseScorerParameters(*newPreciseParameters().(*preciseParameters))
		return &parameters
	},
	needs: func(p *plugin) []dataKey {
		if p.Parameters.(*preciseScorerParameters).ownTokens() {
			return nil
		}
		return needsTokens(p)
	},
	produces:  func(p *plugin) []dataKey { return []dataKey{{prefixMatchData, p.Name}} },
	treatment: unsupported("it needs events of the engines' caches"),
}

type preciseScorerParameters preciseParameters

// ownTokens reports whether it has a tokenizer of its own.
func (p *preciseScorerParameters) ownTokens() bool {
	return p.IndexerConfig != nil && p.IndexerConfig.TokenizersPool != nil
}

func (p *preciseScorerParameters) check(l *loader, path *field.Path) {
	(*preciseParameters)(p).checkAll(l, path)
}
