// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const precisePrefixCacheScorerType = "precise-prefix-cache-scorer"

// precisePrefixCacheScorer is [precisePrefixCacheProducer] and
// [prefixCacheScorer] in one, deprecated. Where there is a producer of that type
// already, it only scores what that one knows, and its own parameters are not
// read.
var precisePrefixCacheScorer = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         precisePrefixCacheScorerType,
		Registration: version.LLMD("scheduler-v0.3..router-main"),
		Category:     config.AffinityCategory,
		Roles:        config.ScorerRole | config.ProducerRole | config.ExtractorRole,
		Payload:      config.EndpointPayload,
		Successor:    precisePrefixCacheProducerType + " with " + config.PrefixCacheScorerType,
		ActsOutside:  attachesForReaders,
		Freshness:    precisePrefixCacheProducer.Freshness,
		Parameters: func() any {
			parameters := preciseScorerParameters(*newPreciseParameters().(*preciseParameters))
			return &parameters
		},
		Needs: func(p *config.Plugin) []config.DataKey {
			if p.Parameters.(*preciseScorerParameters).ownTokens() {
				return nil
			}
			return config.NeedsTokens(p)
		},
		Produces: func(p *config.Plugin) []config.DataKey {
			return []config.DataKey{{Kind: config.PrefixMatchData, Producer: p.Name}}
		},
		Treatment: preciseTreatment(func(p *config.Plugin) *preciseParameters {
			return (*preciseParameters)(p.Parameters.(*preciseScorerParameters))
		}),
		Obstacles: func(_ *config.Config, _ *config.Cluster, p *config.Plugin, at *field.Path) field.ErrorList {
			return (*preciseParameters)(p.Parameters.(*preciseScorerParameters)).obstacles(at)
		},
	},
	NewProducer: func(b *scheduler.Builder, p *config.Plugin) scheduler.Producer {
		if listedBefore(b, p, precisePrefixCacheProducerType) != nil {
			return nil
		}
		return ownPrecise(b, p)
	},
	NewScorer: func(b *scheduler.Builder, p *config.Plugin) scheduler.Scorer {
		if other := listedBefore(b, p, precisePrefixCacheProducerType); other != nil {
			return &prefixCache{match: b.PrefixMatch(other.Name)}
		}
		return newPreciseScorer(ownPrecise(b, p))
	},
}

// ownPrecise is what a scorer itself knows of the engines' caches.
func ownPrecise(b *scheduler.Builder, p *config.Plugin) *precisePrefix {
	parameters := p.Parameters.(*preciseScorerParameters)
	return sharedPrecise(b, p, (*preciseParameters)(parameters), parameters.ownTokens() || !preciseRulesOf(&b.Dialect).needsEndpointSource)
}

// sharedPrecise is the index of an instance, for all that it does.
func sharedPrecise(b *scheduler.Builder, p *config.Plugin, parameters *preciseParameters, ownTokens bool) *precisePrefix {
	return scheduler.Shared(b, p, func() *precisePrefix { return newPrecisePrefix(b, p.Name, parameters, ownTokens) })
}

// listedBefore returns the first plugin of a type that the document lists before
// another one, or nil.
func listedBefore(b *scheduler.Builder, p *config.Plugin, typeName string) *config.Plugin {
	for _, other := range b.Document.Plugins {
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

func (p *preciseScorerParameters) Check(l *config.Loader, path *field.Path) {
	(*preciseParameters)(p).checkAll(l, path)
	at := path.Child("indexerConfig", "tokenizersPoolConfig")
	switch pool := p.tokenizers(); {
	case l.Clock >= version.SchedulerMay && pool != nil && !pool.UDS.enabled():
		l.Add(field.Required(at.Child("uds"), "a tokenizer behind a socket must be enabled; better list a "+config.TokenProducerType))
	case l.Clock >= version.Scheduler05 && l.Clock < version.SchedulerMay && (pool == nil || pool.ModelName == ""):
		l.Add(field.Required(at.Child("modelName"), precisePrefixCacheScorerType+" needs the model of its tokenizer"))
	}
}

func (p *preciseScorerParameters) tokenizers() *tokenizersPool {
	if p.IndexerConfig == nil {
		return nil
	}
	return p.IndexerConfig.TokenizersPool
}
