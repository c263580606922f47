// SPDX-License-Identifier: Apache-2.0

package epp

import "k8s.io/apimachinery/pkg/util/validation/field"

const (
	encoderCacheScorerType = "mm-embeddings-cache-scorer"
)

var (
	// encoderCacheScorer prefers endpoints that have encoded the images of a
	// prompt before: the share of them by size, 0 for a prompt without any.
	encoderCacheScorer = factory{
		pluginType: pluginType{
			name:         encoderCacheScorerType,
			registration: gie("router-v0.9.."),
			category:     AffinityCategory,
			roles:        scorerRole,
			parameters:   func() any { return &encoderCacheScorerParameters{} },
			needs: func(p *plugin) []dataKey {
				return []dataKey{{encoderCacheData, p.Parameters.(*encoderCacheScorerParameters).ProducerName}}
			},
			treatment: func(*Config, *Cluster, *plugin) (Treatment, string) {
				return Exact, "prompts are text, and all score 0"
			},
		},
		newScorer: func(*builder, *plugin) scorer { return nothingEncoded{} },
	}
	// encoderCacheProducer remembers where images were encoded.
	encoderCacheProducer = pluginType{
		name:         encoderCacheProducerType,
		registration: gie("router-v0.9.."),
		roles:        producerRole | extractorRole,
		parameters:   func() any { return &encoderCacheParameters{} },
		needs:        needsTokens,
		produces:     func(p *plugin) []dataKey { return []dataKey{{encoderCacheData, p.Name}} },
		treatment:    ignoredAs("prompts are text"),
	}
)

type encoderCacheScorerParameters struct {
	ProducerName string `json:"producerName"`
}

func (p *encoderCacheScorerParameters) check(*loader, *field.Path) {
	p.ProducerName = orDefault(p.ProducerName, encoderCacheData)
}

type encoderCacheParameters struct {
	CacheSizeInMBPerServer int `json:"cacheSizeInMBPerServer"`
}

type nothingEncoded struct{}

func (nothingEncoded) score(_ *cycle, _ []int, _ weight, scores []float64) { fill(scores, 0) }

func (nothingEncoded) rescore(_ *cycle, _ []int32, _ weight, scores []float64) bool {
	fill(scores, 0)
	return true
}
