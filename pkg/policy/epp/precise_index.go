// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// longestPrefix is the only strategy by which the index scores blocks.
const longestPrefix = "LongestPrefix"

// crashesOverNull is what a null means that the EPP looks into all the same.
const crashesOverNull = "must not be null: the EPP crashes. Leave the key out for the defaults"

// checkIndexer checks what the index of blocks is made of. Where the EPP takes a
// null for the defaults, they are filled in.
func (p *preciseParameters) checkIndexer(l *config.Loader, at *field.Path) {
	c := p.IndexerConfig
	if c == nil {
		l.Add(field.Required(at, "must not be null. Leave the key out for the defaults"))
		return
	}
	if c.KVBlockIndexConfig == nil {
		c.KVBlockIndexConfig = newKVBlockIndex()
	}
	c.KVBlockIndexConfig.Check(l, at.Child("kvBlockIndexConfig"))
	c.checkScorer(l, at.Child("KVBlockScorerConfig"))
	c.checkTiers(l, at.Child("kvCacheBackendConfigs"))
}

// Check looks for a backend of the index, and at its size. Up to scheduler-v0.4 the one
// in memory goes before all others.
func (k *kvBlockIndex) Check(l *config.Loader, at *field.Path) {
	memoryFirst := l.Clock < version.Scheduler05
	switch {
	case k.InMemoryConfig != nil && (memoryFirst || k.CostAwareMemoryConfig == nil && k.RedisConfig == nil):
		if size := k.InMemoryConfig.Size; size <= 0 {
			l.Add(field.Invalid(at.Child("inMemoryConfig", "size"), size, "must be greater than 0"))
		}
	case k.CostAwareMemoryConfig != nil:
		size := k.CostAwareMemoryConfig.Size
		if _, err := indexBytes(size); err != nil {
			l.Add(field.Invalid(at.Child("costAwareMemoryConfig", "size"), size, err.Error()))
		}
	case k.RedisConfig == nil:
		l.Add(field.Required(at.Child("inMemoryConfig"), "must not be null where the index has no other backend"))
	}
}

// checkScorer checks how the index itself scores, and forgets it: it has one way.
func (c *indexerConfig) checkScorer(l *config.Loader, at *field.Path) {
	switch s := c.KVBlockScorerConfig; {
	case s == nil:
		l.Add(field.Required(at, crashesOverNull))
	case s.ScoringStrategy != longestPrefix:
		l.Add(field.NotSupported(at.Child("ScoringStrategy"), s.ScoringStrategy, []string{longestPrefix}))
	}
	c.KVBlockScorerConfig = nil
}

// checkTiers checks what blocks of tiers count, in versions that have tiers. From
// scheduler-v0.7 on null is the default; before, all blocks count the same.
func (c *indexerConfig) checkTiers(l *config.Loader, at *field.Path) {
	switch {
	case l.Clock < version.Scheduler04:
		return
	case c.BackendConfigs == nil && l.Clock >= version.Scheduler07:
		c.BackendConfigs = newCacheTiers()
	case c.BackendConfigs == nil:
		c.BackendConfigs = []*cacheTier{}
	}
	for i, tier := range c.BackendConfigs {
		if tier == nil {
			l.Add(field.Required(at.Index(i), crashesOverNull))
		}
	}
	c.BackendConfigs = slices.DeleteFunc(c.BackendConfigs, func(t *cacheTier) bool { return t == nil })
}

// checkEvents checks where events come from. From scheduler-v0.5 on the EPP looks
// into null, from router-v0.10 on it reads the type of the engine.
func (p *preciseParameters) checkEvents(l *config.Loader, at *field.Path) {
	switch e := p.KVEventsConfig; {
	case e == nil && l.Clock < version.Scheduler05:
		p.KVEventsConfig = newKVEventsConfig()
	case e == nil:
		l.Add(field.Required(at, crashesOverNull))
	case e.Concurrency < 0:
		l.Add(field.Invalid(at.Child("concurrency"), e.Concurrency, "must not be negative: the EPP crashes"))
	case e.EngineType != "" && l.Clock >= version.Router10:
		config.CheckOneOf(l, at.Child("engineType"), e.EngineType, []string{"vllm", "sglang"})
	}
}
