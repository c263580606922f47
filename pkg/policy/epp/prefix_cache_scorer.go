// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"math"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// prefixCacheScorer prefers endpoints that may hold the prompt's beginning:
// with the share r of the prompt's blocks that match, the matched length n in
// tokens, weight w and scale s, w·min(1, n/s)² + (1 − w)·r.
var prefixCacheScorer = factory{
	pluginType: pluginType{
		name:         prefixCacheScorerType,
		neededInMay:  []dataKind{prefixMatchData},
		registration: gie("gie-v1.5.."),
		category:     AffinityCategory,
		roles:        scorerRole,
		parameters:   func() any { return &prefixCacheParameters{MatchLengthScaleTokens: 8192} },
		needs: func(p *plugin) []dataKey {
			return []dataKey{{prefixMatchData, p.Parameters.(*prefixCacheParameters).PrefixMatchInfoProducerName}}
		},
		obstacles: func(c *Config, _ *Cluster, p *plugin, at *field.Path) field.ErrorList { return readsTold(c, p, at) },
	},
	newScorer: func(b *builder, p *plugin) scorer {
		parameters := p.Parameters.(*prefixCacheParameters)
		return &prefixCache{
			match:       b.prefixMatch(parameters.PrefixMatchInfoProducerName),
			weight:      parameters.MatchLengthWeight,
			scaleTokens: parameters.MatchLengthScaleTokens,
		}
	},
}

type prefixCacheParameters struct {
	PrefixMatchInfoProducerName string  `json:"prefixMatchInfoProducerName" versions:"router-v0.9.."`
	MatchLengthWeight           float64 `json:"matchLengthWeight" versions:"router-v0.10.."`
	MatchLengthScaleTokens      int     `json:"matchLengthScaleTokens" versions:"router-v0.10.."`

	// What gie-v1.5 hands on to the producer that it makes for the scorer.
	AutoTune               node `json:"-" name:"autoTune" versions:"gie-v1.5..gie-v1.5"`
	BlockSize              node `json:"-" name:"blockSize" versions:"gie-v1.5..gie-v1.5"`
	BlockSizeTokens        node `json:"-" name:"blockSizeTokens" versions:"gie-v1.5..gie-v1.5"`
	MaxPrefixBlocksToMatch node `json:"-" name:"maxPrefixBlocksToMatch" versions:"gie-v1.5..gie-v1.5"`
	MaxPrefixTokensToMatch node `json:"-" name:"maxPrefixTokensToMatch" versions:"gie-v1.5..gie-v1.5"`
	LRUCapacityPerServer   node `json:"-" name:"lruCapacityPerServer" versions:"gie-v1.5..gie-v1.5"`
}

// moved is for the files of GIE up to v1.4, where the scorer kept the prefixes.
func (p *prefixCacheParameters) moved(name string) string {
	switch name {
	case "hashBlockSize", "blockSize", "blockSizeTokens", "autoTune", "maxPrefixBlocksToMatch", "lruCapacityPerServer":
		return "it is a parameter of " + approxPrefixCacheProducerType + " now, and hashBlockSize is blockSizeTokens there"
	case "indexerConfig", "kvEventsConfig", "tokenProcessorConfig", "mode":
		return "it belongs to precise-prefix-cache-producer now"
	}
	return ""
}

func (p *prefixCacheParameters) check(l *loader, path *field.Path) {
	p.PrefixMatchInfoProducerName = orDefault(p.PrefixMatchInfoProducerName, prefixMatchData)
	if p.MatchLengthWeight < 0 || p.MatchLengthWeight > 1 {
		l.add(field.Invalid(path.Child("matchLengthWeight"), p.MatchLengthWeight, "must be between 0 and 1"))
	}
	if p.MatchLengthWeight > 0 && p.MatchLengthScaleTokens <= 0 {
		l.add(field.Invalid(path.Child("matchLengthScaleTokens"), p.MatchLengthScaleTokens, "must be greater than 0 where matchLengthWeight is"))
	}
}

type prefixCache struct {
	match       *prefixMatch
	weight      float64
	scaleTokens int
}

// Few numbers of blocks occur, mostly none and all of a prefix that many share,
// so a score is not worked out anew for each endpoint.
func (s *prefixCache) score(_ *cycle, candidates []int, w weight, scores []float64) {
	matched, nothing := s.match.blocks, w.of(s.raw(0))
	last, score := 0, nothing
	scores = scores[:len(candidates)]
	for i, e := range candidates {
		switch blocks := matched[e]; blocks {
		case 0:
			scores[i] = nothing
		case last:
			scores[i] = score
		default:
			last, score = blocks, w.of(s.raw(blocks))
			scores[i] = score
		}
	}
}

func (s *prefixCache) raw(matched int) float64 {
	if s.match.totalBlocks == 0 {
		return 0
	}
	blocks, length := float64(matched), 0.0
	if s.weight > 0 {
		part := math.Min(1, blocks*float64(s.match.blockTokens)/float64(s.scaleTokens))
		length = part * part
	}
	return float64(s.weight*length) + float64((1-s.weight)*(blocks/float64(s.match.totalBlocks)))
}
