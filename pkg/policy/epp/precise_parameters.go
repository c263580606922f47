// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/kvindex"
)

// storageTiers are the names by which weights may mean what lies below the
// hosts' memory.
var storageTiers = []string{"storage", "shared_storage", "disk"}

// weights are what a block counts by where it lies: 1 where that has no name
// among the tiers, as what is only believed to be there. Without rules for tiers
// all blocks count the same.
func (p *preciseParameters) weights(rules preciseRules) [kvindex.Places]float64 {
	var weights [kvindex.Places]float64
	for i := range weights {
		weights[i] = 1
	}
	if !rules.knowsTiers {
		return weights
	}
	for _, t := range p.IndexerConfig.BackendConfigs {
		switch {
		case t.Name == "gpu":
			weights[policy.GPUMemory] = t.Weight
		case t.Name == "cpu":
			weights[policy.CPUMemory] = t.Weight
		case slices.Contains(storageTiers, t.Name):
			weights[policy.Storage] = t.Weight
		}
	}
	return weights
}

// entries is how many entries of a block the index keeps; 0 is all.
func (p *preciseParameters) entries() int {
	const most = 10
	switch k := p.IndexerConfig.KVBlockIndexConfig; {
	case k.CostAwareMemoryConfig != nil || k.RedisConfig != nil:
		return 0
	case k.InMemoryConfig == nil:
		return most
	default:
		return max(k.InMemoryConfig.PodCacheSize, 1)
	}
}

// standardIndexSize is how many blocks an index holds unless told otherwise, more
// than a cluster has.
const standardIndexSize = 1e8

// mostBlocks is how many blocks an index in memory holds.
func (p *preciseParameters) mostBlocks() int {
	if inMemory := p.IndexerConfig.KVBlockIndexConfig.InMemoryConfig; inMemory != nil {
		return inMemory.Size
	}
	return standardIndexSize
}

const defaultSpeculativeTTL = 2 * time.Second

func (p *preciseParameters) speculation(rules preciseRules) speculation {
	if !p.SpeculativeIndexing {
		return speculation{}
	}
	ttl, err := time.ParseDuration(p.SpeculativeTTL)
	if err != nil || ttl <= 0 {
		ttl = defaultSpeculativeTTL
	}
	return speculation{ttl: ttl, sweeps: rules.expiresInRounds}
}

// hears reports whether engines' events reach the plugin of that name: over one
// socket that all engines send to, or over one for each, which it discovers through an
// endpoint source that it is an extractor of.
func (p *preciseParameters) hears(name string, rules preciseRules, document *config.EffectiveDocument) bool {
	e := p.KVEventsConfig
	if e.ZMQEndpoint != "" || !rules.needsEndpointSource {
		return true
	}
	if !e.DiscoverPods || e.PodDiscoveryConfig == nil {
		return false
	}
	return slices.ContainsFunc(document.DataLayer.Sources, func(s config.DataSource) bool {
		return document.TypeOf(s.PluginRef) == endpointNotificationSource.Name &&
			slices.ContainsFunc(s.Extractors, func(r config.Reference) bool { return r.PluginRef == name })
	})
}
