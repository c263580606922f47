// SPDX-License-Identifier: Apache-2.0

package epp

import "k8s.io/apimachinery/pkg/util/validation/field"

// modalPrefixCacheScorer is prefix-cache-scorer of scheduler-v0.2: in the mode
// estimate [legacyPrefixCacheScorer], and in cache_tracking what became
// [precisePrefixCacheScorer].
var modalPrefixCacheScorer = factory{
	pluginType: pluginType{
		name:         prefixCacheScorerType,
		registration: llmd("scheduler-v0.2..scheduler-v0.2"),
		category:     AffinityCategory,
		roles:        scorerRole | producerRole,
		parameters:   func() any { return &modalPrefixParameters{} },
		treatment: func(c *Config, cluster *Cluster, p *plugin) (Treatment, string) {
			m := p.Parameters.(*modalPrefixParameters)
			if m.tracks() {
				return preciseTreatment(func(*plugin) *preciseParameters { return m.precise() })(c, cluster, p)
			}
			return legacyPrefixCacheScorer.treatment(c, cluster, p)
		},
		obstacles: func(c *Config, _ *Cluster, p *plugin, at *field.Path) field.ErrorList {
			m := p.Parameters.(*modalPrefixParameters)
			if m.tracks() {
				return m.precise().obstacles(at)
			}
			return append(sharedStates(c, p, at), m.legacy().obstacles(c.dialect.framework, at.Child("parameters"))...)
		},
	},
	newProducer: func(b *builder, p *plugin) producer {
		if m := p.Parameters.(*modalPrefixParameters); m.tracks() {
			return sharedPrecise(b, p, m.precise(), true)
		}
		return nil
	},
	newScorer: func(b *builder, p *plugin) scorer {
		m := p.Parameters.(*modalPrefixParameters)
		if m.tracks() {
			return newPreciseScorer(sharedPrecise(b, p, m.precise(), true))
		}
		return sharedLegacyPrefix(b, p, m.legacy())
	},
}

// The modes of modalPrefixCacheScorer.
const (
	estimateMode      = "estimate"
	cacheTrackingMode = "cache_tracking"
)

// modalPrefixParameters are those of both modes; each ignores the other's.
type modalPrefixParameters struct {
	Mode                   string          `json:"mode"`
	HashBlockSize          int             `json:"hashBlockSize"`
	MaxPrefixBlocksToMatch int             `json:"maxPrefixBlocksToMatch"`
	LRUCapacityPerServer   int             `json:"lruCapacityPerServer"`
	IndexerConfig          *indexerConfig  `json:"indexerConfig,omitempty"`
	KVEventsConfig         *kvEventsConfig `json:"kvEventsConfig,omitempty"`
}

func (p *modalPrefixParameters) defaults(at release) {
	var legacy legacyPrefixParameters
	legacy.defaults(at)
	precise := newPreciseParameters().(*preciseParameters)
	*p = modalPrefixParameters{
		Mode:                   estimateMode,
		HashBlockSize:          legacy.HashBlockSize,
		MaxPrefixBlocksToMatch: legacy.MaxPrefixBlocksToMatch,
		LRUCapacityPerServer:   legacy.LRUCapacityPerServer,
		IndexerConfig:          precise.IndexerConfig,
		KVEventsConfig:         precise.KVEventsConfig,
	}
}

func (p *modalPrefixParameters) check(l *loader, path *field.Path) {
	switch p.Mode {
	case "", estimateMode:
		legacy := p.legacy()
		legacy.check(l, path)
		p.Mode, p.LRUCapacityPerServer = estimateMode, legacy.LRUCapacityPerServer
		p.IndexerConfig, p.KVEventsConfig = nil, nil
	case cacheTrackingMode:
		precise := p.precise()
		precise.checkAll(l, path)
		p.KVEventsConfig = precise.KVEventsConfig
	default:
		l.add(field.NotSupported(path.Child("mode"), p.Mode, []string{estimateMode, cacheTrackingMode}))
	}
}

// freshness is that of what the mode goes by.
func (p *modalPrefixParameters) freshness() string {
	if p.tracks() {
		return precisePrefixCacheProducer.freshness
	}
	return legacyPrefixCacheScorer.freshness
}

// tracks reports whether the engines' caches are tracked.
func (p *modalPrefixParameters) tracks() bool { return p.Mode == cacheTrackingMode }

func (p *modalPrefixParameters) legacy() *legacyPrefixParameters {
	return &legacyPrefixParameters{
		HashBlockSize: p.HashBlockSize, MaxPrefixBlocksToMatch: p.MaxPrefixBlocksToMatch, LRUCapacityPerServer: p.LRUCapacityPerServer,
	}
}

func (p *modalPrefixParameters) precise() *preciseParameters {
	return &preciseParameters{IndexerConfig: p.IndexerConfig, KVEventsConfig: p.KVEventsConfig}
}
