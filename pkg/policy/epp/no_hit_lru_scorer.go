// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const noHitLRUScorerType = "no-hit-lru-scorer"

// noHitLRUScorer spreads cold requests, for which no candidate holds any block,
// so that caches grow evenly. Of n candidates, those that never had a cold
// request come first, in their order, then the others, the one that has gone
// without longest first; the i-th scores 1 − i/(n−1). Every endpoint that ever
// had one counts for the position of the others, whether it is a candidate or
// not. Where a block is held, all score 0.5.
//
// A cold request counts for the endpoint that decodes and for the one that a
// profile named prefill chose. Of several profiles with the scorer, the last one
// that ran says whether a request is cold.
//
// Up to scheduler-v0.7 it goes by what a prefix scorer left behind before it: see
// [scheduler.PrefixMatch.Publish]. Where none has, in the same profile or the one before, a
// request is cold; it is not where any endpoint holds a block, candidate or not. In
// scheduler-v0.4 it looks for that by the wrong name, and all are cold unless
// prefixPluginName is "NAME/TYPE" of the scorer; the pick of prefill does not count.
var noHitLRUScorer = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         noHitLRUScorerType,
		Registration: version.LLMD("scheduler-v0.4.."),
		Roles:        config.ScorerRole,
		Parameters:   func() any { return &noHitLRUParameters{LRUSize: defaultLRUSize} },
		Needs: func(p *config.Plugin) []config.DataKey {
			return []config.DataKey{{Kind: config.PrefixMatchData, Producer: p.Parameters.(*noHitLRUParameters).PrefixMatchInfoProducerName}}
		},
		Treatment: func(c *config.Config, _ *config.Cluster, p *config.Plugin) (config.Treatment, string) {
			if c.Dialect.Own <= version.Scheduler07 && !readsPublished(c, p.Parameters.(*noHitLRUParameters)) {
				return config.Exact, "takes every request for a cold one: no prefix scorer leaves anything behind under the name that it looks for"
			}
			return config.Exact, ""
		},
		Obstacles: func(c *config.Config, _ *config.Cluster, p *config.Plugin, at *field.Path) field.ErrorList {
			return checkSeveralWriters(c, p, at)
		},
	},
	NewScorer: func(b *scheduler.Builder, p *config.Plugin) scheduler.Scorer {
		return scheduler.Shared(b, p, func() *noHitLRU { return newNoHitLRU(b, p.Parameters.(*noHitLRUParameters)) })
	},
}

const defaultLRUSize = 1024

type noHitLRUParameters struct {
	PrefixPluginType string `json:"prefixPluginType,omitempty" versions:"scheduler-v0.5.."`
	PrefixPluginName string `json:"prefixPluginName,omitempty"`
	// LRUSize is how many endpoints are remembered.
	LRUSize                     int    `json:"lruSize"`
	PrefixMatchInfoProducerName string `json:"prefixMatchInfoProducerName" versions:"router-v0.9.."`
}

// Defaults: what names a prefix scorer does so up to scheduler-v0.7.
func (p *noHitLRUParameters) Defaults(at version.Release) {
	if at <= version.Scheduler07 {
		p.PrefixPluginName = config.PrefixCacheScorerType
	}
	if at >= version.Scheduler05 && at <= version.Scheduler07 {
		p.PrefixPluginType = config.PrefixCacheScorerType
	}
}

func (p *noHitLRUParameters) Check(l *config.Loader, path *field.Path) {
	p.checkScorer(l, path)
	if p.LRUSize < 0 {
		l.Notice(path.Child("lruSize"), "replaced-value", "%d is replaced by the default %d", p.LRUSize, defaultLRUSize)
	}
	if p.LRUSize <= 0 {
		p.LRUSize = defaultLRUSize
	}
	p.PrefixMatchInfoProducerName = config.OrDefault(p.PrefixMatchInfoProducerName, config.PrefixMatchData)
}

// checkScorer is about what names the prefix scorer. An empty name is the default
// one.
func (p *noHitLRUParameters) checkScorer(l *config.Loader, path *field.Path) {
	if l.Clock <= version.Scheduler07 {
		config.SetDefault(&p.PrefixPluginName, config.PrefixCacheScorerType)
		if l.Clock >= version.Scheduler05 {
			config.SetDefault(&p.PrefixPluginType, config.PrefixCacheScorerType)
		}
		return
	}
	for _, deprecated := range []struct {
		name  string
		value *string
	}{{"prefixPluginType", &p.PrefixPluginType}, {"prefixPluginName", &p.PrefixPluginName}} {
		if *deprecated.value != "" {
			l.Notice(path.Child(deprecated.name), "deprecated", "deprecated, no effect; prefixMatchInfoProducerName selects a producer")
			*deprecated.value = ""
		}
	}
}

// scorerBy is the type and name of the scorer that a version looks for.
func (p *noHitLRUParameters) scorerBy(own version.Release) (typeName, name string) {
	if own > version.Scheduler04 {
		return p.PrefixPluginType, p.PrefixPluginName
	}
	at := strings.LastIndexByte(p.PrefixPluginName, '/')
	return p.PrefixPluginName[at+1:], p.PrefixPluginName[:max(at, 0)]
}

// readsPublished reports whether there is a scorer that leaves behind what a scorer with
// these parameters looks for, in any profile.
func readsPublished(c *config.Config, parameters *noHitLRUParameters) bool {
	typeName, name := parameters.scorerBy(c.Dialect.Own)
	p := c.Plugin(name)
	return p != nil && p.Type == typeName && publishesMatch(&c.Dialect, p) && c.Runs(p, nil)
}

func newNoHitLRU(b *scheduler.Builder, parameters *noHitLRUParameters) *noHitLRU {
	s := &noHitLRU{
		size:      parameters.LRUSize,
		byColdUse: make([]int32, 0, min(b.Endpoints, parameters.LRUSize)+1),
		position:  make([]int32, b.Endpoints),
		prefill:   b.Stages.Prefill == config.PrefillProfile && b.Dialect.Own > version.Scheduler04,
	}
	if s.old = b.Dialect.Own <= version.Scheduler07; s.old {
		typeName, name := parameters.scorerBy(b.Dialect.Own)
		s.match = publishedBy(b, typeName, name)
	} else {
		s.match = b.PrefixMatch(parameters.PrefixMatchInfoProducerName)
	}
	return s
}

type noHitLRU struct {
	match *scheduler.PrefixMatch
	// old is whether the match is what a scorer may have left behind; nil where
	// none does.
	old  bool
	size int
	// byColdUse are the endpoints that had a cold request, the oldest first.
	byColdUse []int32
	// position is where an endpoint stands in used; -1 for one that does not.
	position []int32
	// prefill is whether the pick of the prefill profile is followed.
	prefill bool
	// coldCycle is the cycle whose request is cold; 0 for none.
	coldCycle uint64
}

func (s *noHitLRU) Score(c *scheduler.Cycle, candidates []int, w scheduler.Weight, scores []float64) {
	s.coldCycle = 0
	if s.isCold(c, candidates) {
		s.coldCycle = c.Number
	}
	switch {
	case s.coldCycle == 0:
		fill(scores, w.Of(0.5))
	case len(candidates) == 1:
		scores[0] = w.Of(1)
	default:
		s.rank(candidates, w, scores)
	}
}

func (s *noHitLRU) isCold(c *scheduler.Cycle, candidates []int) bool {
	switch {
	case s.old:
		return !s.match.IsPublished(c) || !s.match.AnyHeld
	case s.match.TotalBlocks == 0:
		return true
	}
	for _, e := range candidates {
		if s.match.Blocks[e] > 0 {
			return false
		}
	}
	return true
}

func (s *noHitLRU) rank(candidates []int, w scheduler.Weight, scores []float64) {
	fill(s.position, -1)
	for i, e := range s.byColdUse {
		s.position[e] = int32(i)
	}
	last := float64(len(candidates) - 1)
	neverUsed := 0
	for i, e := range candidates {
		if s.position[e] < 0 {
			scores[i] = w.Of(1 - float64(neverUsed)/last)
			neverUsed++
		}
	}
	for i, e := range candidates {
		if s.position[e] >= 0 {
			scores[i] = w.Of(1 - float64(neverUsed+int(s.position[e]))/last)
		}
	}
}

// Routed makes the endpoints of a cold request the youngest.
func (s *noHitLRU) Routed(c *scheduler.Cycle, p scheduler.Picks) {
	if s.coldCycle != c.Number {
		return
	}
	s.renew(p.Primary)
	if s.prefill && p.Prefill != scheduler.None {
		s.renew(p.Prefill)
	}
}

func (s *noHitLRU) renew(endpoint int) {
	if i := slices.Index(s.byColdUse, int32(endpoint)); i >= 0 {
		s.byColdUse = slices.Delete(s.byColdUse, i, i+1)
	}
	s.byColdUse = append(s.byColdUse, int32(endpoint))
	if len(s.byColdUse) > s.size {
		s.byColdUse = slices.Delete(s.byColdUse, 0, 1)
	}
}

func fill[T any](all []T, value T) {
	for i := range all {
		all[i] = value
	}
}
