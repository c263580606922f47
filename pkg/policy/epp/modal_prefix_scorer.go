// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// modalPrefixCacheScorer is prefix-cache-scorer of scheduler-v0.2: in the mode
// estimate [legacyPrefixCacheScorer], and in cache_tracking what became
// [precisePrefixCacheScorer].
var modalPrefixCacheScorer = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         config.PrefixCacheScorerType,
		Registration: version.LLMD("scheduler-v0.2..scheduler-v0.2"),
		Category:     config.AffinityCategory,
		Roles:        config.ScorerRole | config.ProducerRole,
		Parameters:   func() any { return &modalPrefixParameters{} },
		Treatment: func(c *config.Config, cluster *config.Cluster, p *config.Plugin) (config.Treatment, string) {
			m := p.Parameters.(*modalPrefixParameters)
			if m.tracks() {
				return preciseTreatment(func(*config.Plugin) *preciseParameters { return m.precise() })(c, cluster, p)
			}
			return legacyPrefixCacheScorer.Treatment(c, cluster, p)
		},
		Obstacles: func(c *config.Config, _ *config.Cluster, p *config.Plugin, at *field.Path) field.ErrorList {
			m := p.Parameters.(*modalPrefixParameters)
			if m.tracks() {
				return m.precise().obstacles(at)
			}
			return append(sharedStates(c, p, at), m.legacy().obstacles(c.Dialect.Framework, at.Child("parameters"))...)
		},
	},
	NewProducer: func(b *scheduler.Builder, p *config.Plugin) scheduler.Producer {
		if m := p.Parameters.(*modalPrefixParameters); m.tracks() {
			return sharedPrecise(b, p, m.precise(), true)
		}
		return nil
	},
	NewScorer: func(b *scheduler.Builder, p *config.Plugin) scheduler.Scorer {
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

func (p *modalPrefixParameters) Defaults(at version.Release) {
	var legacy legacyPrefixParameters
	legacy.Defaults(at)
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

func (p *modalPrefixParameters) Check(l *config.Loader, path *field.Path) {
	switch p.Mode {
	case "", estimateMode:
		legacy := p.legacy()
		legacy.Check(l, path)
		p.Mode, p.LRUCapacityPerServer = estimateMode, legacy.LRUCapacityPerServer
		p.IndexerConfig, p.KVEventsConfig = nil, nil
	case cacheTrackingMode:
		precise := p.precise()
		precise.checkAll(l, path)
		p.KVEventsConfig = precise.KVEventsConfig
	default:
		l.Add(field.NotSupported(path.Child("mode"), p.Mode, []string{estimateMode, cacheTrackingMode}))
	}
}

// Freshness is that of what the mode goes by.
func (p *modalPrefixParameters) Freshness() string {
	if p.tracks() {
		return precisePrefixCacheProducer.Freshness
	}
	return legacyPrefixCacheScorer.Freshness
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
