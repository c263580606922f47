// SPDX-License-Identifier: Apache-2.0

package epp

import "k8s.io/apimachinery/pkg/util/validation/field"

const precisePrefixCacheScorerType = "precise-prefix-cache-scorer"

// precisePrefixCacheScorer is [precisePrefixCacheProducer] and
// [prefixCacheScorer] in one, deprecated. Where there is a producer of that type
// already, it only scores what that one knows, and its own parameters are not
// read.
var precisePrefixCacheScorer = factory{
	pluginType: pluginType{
		name:         precisePrefixCacheScorerType,
		registration: llmd("scheduler-v0.3..router-main"),
		category:     AffinityCategory,
		roles:        scorerRole | producerRole | extractorRole,
		actsOutside:  attachesForReaders,
		freshness:    precisePrefixCacheProducer.freshness,
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
		produces: func(p *plugin) []dataKey { return []dataKey{{prefixMatchData, p.Name}} },
		treatment: preciseTreatment(func(p *plugin) *preciseParameters {
			return (*preciseParameters)(p.Parameters.(*preciseScorerParameters))
		}),
		obstacles: func(_ *Config, _ *Cluster, p *plugin, at *field.Path) field.ErrorList {
			return (*preciseParameters)(p.Parameters.(*preciseScorerParameters)).obstacles(at)
		},
	},
	newProducer: func(b *builder, p *plugin) producer {
		if listedBefore(b, p, precisePrefixCacheProducerType) != nil {
			return nil
		}
		return ownPrecise(b, p)
	},
	newScorer: func(b *builder, p *plugin) scorer {
		if other := listedBefore(b, p, precisePrefixCacheProducerType); other != nil {
			return &prefixCache{match: b.prefixMatch(other.Name)}
		}
		return newPreciseScorer(ownPrecise(b, p))
	},
}

// ownPrecise is what a scorer itself knows of the engines' caches.
func ownPrecise(b *builder, p *plugin) *precisePrefix {
	parameters := p.Parameters.(*preciseScorerParameters)
	return sharedPrecise(b, p, (*preciseParameters)(parameters), parameters.ownTokens() || !preciseRulesOf(&b.dialect).wired)
}

// sharedPrecise is the index of an instance, for all that it does.
func sharedPrecise(b *builder, p *plugin, parameters *preciseParameters, ownTokens bool) *precisePrefix {
	return shared(b, p, func() *precisePrefix { return newPrecisePrefix(b, p.Name, parameters, ownTokens) })
}

// listedBefore returns the first plugin of a type that the document lists before
// another one, or nil.
func listedBefore(b *builder, p *plugin, typeName string) *plugin {
	for _, other := range b.document.Plugins {
		if other == p {
			break
		}
		if other.Type == typeName {
			return other
		}
	}
	return nil
}

type preciseScorerParameters preciseParameters

// ownTokens reports whether it has a tokenizer of its own.
func (p *preciseScorerParameters) ownTokens() bool {
	return p.IndexerConfig != nil && p.IndexerConfig.TokenizersPool != nil
}

func (p *preciseScorerParameters) check(l *loader, path *field.Path) {
	(*preciseParameters)(p).checkAll(l, path)
	at := path.Child("indexerConfig", "tokenizersPoolConfig")
	switch pool := p.tokenizers(); {
	case l.clock >= schedulerMay && pool != nil && !pool.UDS.enabled():
		l.add(field.Required(at.Child("uds"), "a tokenizer behind a socket must be enabled; better list a "+tokenProducerType))
	case l.clock >= scheduler05 && l.clock < schedulerMay && (pool == nil || pool.ModelName == ""):
		l.add(field.Required(at.Child("modelName"), precisePrefixCacheScorerType+" needs the model of its tokenizer"))
	}
}

func (p *preciseScorerParameters) tokenizers() *tokenizersPool {
	if p.IndexerConfig == nil {
		return nil
	}
	return p.IndexerConfig.TokenizersPool
}
