// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"math"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/document"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// prefixCacheScorer prefers endpoints that may hold the prompt's beginning:
// with the share r of the prompt's blocks that match, the matched length n in
// tokens, weight w and scale s, w·min(1, n/s)² + (1 − w)·r. It reads the matches of the
// producer that prefixMatchInfoProducerName names, else of approx-prefix-cache-producer.
var prefixCacheScorer = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         config.PrefixCacheScorerType,
		NeededInMay:  []config.DataKind{config.PrefixMatchData},
		Registration: version.GIE("gie-v1.5.."),
		Category:     config.AffinityCategory,
		Roles:        config.ScorerRole,
		Parameters:   func() any { return &prefixCacheParameters{MatchLengthScaleTokens: 8192} },
		Needs: func(p *config.Plugin) []config.DataKey {
			return []config.DataKey{{Kind: config.PrefixMatchData, Producer: p.Parameters.(*prefixCacheParameters).PrefixMatchInfoProducerName}}
		},
		Obstacles: func(c *config.Config, _ *config.Cluster, p *config.Plugin, at *field.Path) field.ErrorList {
			return checkReadsSharedMatch(c, p, at)
		},
	},
	NewScorer: func(b *scheduler.Builder, p *config.Plugin) scheduler.Scorer {
		parameters := p.Parameters.(*prefixCacheParameters)
		s := prefixCache{
			match:       b.PrefixMatch(parameters.PrefixMatchInfoProducerName),
			weight:      parameters.MatchLengthWeight,
			scaleTokens: parameters.MatchLengthScaleTokens,
		}
		if s.match.Listed {
			return &listedPrefixCache{prefixCache: s}
		}
		return &s
	},
}

type prefixCacheParameters struct {
	PrefixMatchInfoProducerName string  `json:"prefixMatchInfoProducerName" versions:"router-v0.9.."`
	MatchLengthWeight           float64 `json:"matchLengthWeight" versions:"router-v0.10.."`
	MatchLengthScaleTokens      int     `json:"matchLengthScaleTokens" versions:"router-v0.10.."`

	// What gie-v1.5 hands on to the producer that it makes for the scorer.
	AutoTune               document.Node `json:"-" name:"autoTune" versions:"gie-v1.5..gie-v1.5"`
	BlockSize              document.Node `json:"-" name:"blockSize" versions:"gie-v1.5..gie-v1.5"`
	BlockSizeTokens        document.Node `json:"-" name:"blockSizeTokens" versions:"gie-v1.5..gie-v1.5"`
	MaxPrefixBlocksToMatch document.Node `json:"-" name:"maxPrefixBlocksToMatch" versions:"gie-v1.5..gie-v1.5"`
	MaxPrefixTokensToMatch document.Node `json:"-" name:"maxPrefixTokensToMatch" versions:"gie-v1.5..gie-v1.5"`
	LRUCapacityPerServer   document.Node `json:"-" name:"lruCapacityPerServer" versions:"gie-v1.5..gie-v1.5"`
}

// Moved is for the files of GIE up to v1.4, where the scorer kept the prefixes.
func (p *prefixCacheParameters) Moved(name string) string {
	switch name {
	case "hashBlockSize", "blockSize", "blockSizeTokens", "autoTune", "maxPrefixBlocksToMatch", "lruCapacityPerServer":
		return "it is a parameter of " + config.ApproxPrefixCacheProducerType + " now, and hashBlockSize is blockSizeTokens there"
	case "indexerConfig", "kvEventsConfig", "tokenProcessorConfig", "mode":
		return "it belongs to precise-prefix-cache-producer now"
	}
	return ""
}

func (p *prefixCacheParameters) Check(l *config.Loader, path *field.Path) {
	p.PrefixMatchInfoProducerName = config.OrDefault(p.PrefixMatchInfoProducerName, config.PrefixMatchData)
	if p.MatchLengthWeight < 0 || p.MatchLengthWeight > 1 {
		l.Add(field.Invalid(path.Child("matchLengthWeight"), p.MatchLengthWeight, "must be between 0 and 1"))
	}
	if p.MatchLengthWeight > 0 && p.MatchLengthScaleTokens <= 0 {
		l.Add(field.Invalid(path.Child("matchLengthScaleTokens"), p.MatchLengthScaleTokens, "must be greater than 0 where matchLengthWeight is"))
	}
}

type prefixCache struct {
	match       *scheduler.PrefixMatch
	weight      float64
	scaleTokens int
}

// Score reuses the last score: few numbers of blocks occur, mostly none and all of a shared
// prefix.
func (s *prefixCache) Score(_ *scheduler.Cycle, candidates []int, w scheduler.Weight, scores []float64) {
	matched, nothing := s.match.Blocks, w.Of(s.raw(0))
	last, score := 0, nothing
	scores = scores[:len(candidates)]
	for i, e := range candidates {
		switch blocks := matched[e]; blocks {
		case 0:
			scores[i] = nothing
		case last:
			scores[i] = score
		default:
			last, score = blocks, w.Of(s.raw(blocks))
			scores[i] = score
		}
	}
}

func (s *prefixCache) raw(matched int) float64 {
	if s.match.TotalBlocks == 0 {
		return 0
	}
	blocks, length := float64(matched), 0.0
	if s.weight > 0 {
		part := math.Min(1, blocks*float64(s.match.BlockTokens)/float64(s.scaleTokens))
		length = part * part
	}
	return float64(s.weight*length) + float64((1-s.weight)*(blocks/float64(s.match.TotalBlocks)))
}

// listedPrefixCache is prefixCache where the match lists who holds a block: few, mostly.
type listedPrefixCache struct {
	prefixCache
	held     []int32 // at the last request
	rescored []int32 // those, and those that hold a block now
}

func (s *listedPrefixCache) Score(c *scheduler.Cycle, candidates []int, w scheduler.Weight, scores []float64) {
	s.held = append(s.held[:0], s.match.Held...)
	s.prefixCache.Score(c, candidates, w, scores)
}

func (s *listedPrefixCache) Rescore(_ *scheduler.Cycle, _, indexOf []int32, w scheduler.Weight, scores []float64) (rescored []int32, ok bool) {
	nothing := w.Of(s.raw(0))
	for _, e := range s.held {
		if i := indexOf[e]; i != scheduler.None {
			scores[i] = nothing
		}
	}
	for _, e := range s.match.Held {
		if i := indexOf[e]; i != scheduler.None {
			scores[i] = w.Of(s.raw(s.match.Blocks[e]))
		}
	}
	s.rescored = append(append(s.rescored[:0], s.held...), s.match.Held...)
	s.held = append(s.held[:0], s.match.Held...)
	return s.rescored, true
}
