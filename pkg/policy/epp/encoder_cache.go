// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const (
	encoderCacheScorerType = "mm-embeddings-cache-scorer"
)

var (
	// encoderCacheScorer prefers endpoints that have encoded the images of a
	// prompt before: the share of them by size, 0 for a prompt without any.
	encoderCacheScorer = scheduler.Factory{
		PluginType: config.PluginType{
			Name:         encoderCacheScorerType,
			Registration: version.GIE("router-v0.9.."),
			Category:     config.AffinityCategory,
			Roles:        config.ScorerRole,
			Parameters:   func() any { return &encoderCacheScorerParameters{} },
			Needs: func(p *config.Plugin) []config.DataKey {
				return []config.DataKey{{Kind: config.EncoderCacheData, Producer: p.Parameters.(*encoderCacheScorerParameters).ProducerName}}
			},
			Treatment: func(*config.Config, *config.Cluster, *config.Plugin) (config.Treatment, string) {
				return config.Exact, "prompts are text, and all score 0"
			},
		},
		NewScorer: func(*scheduler.Builder, *config.Plugin) scheduler.Scorer { return nothingEncoded{} },
	}
	// encoderCacheProducer remembers where images were encoded.
	encoderCacheProducer = config.PluginType{
		Name:         config.EncoderCacheProducerType,
		Registration: version.GIE("router-v0.9.."),
		Roles:        config.ProducerRole | config.ExtractorRole,
		Payload:      config.EndpointPayload,
		Parameters:   func() any { return &encoderCacheParameters{} },
		Needs:        config.NeedsTokens,
		Produces: func(p *config.Plugin) []config.DataKey {
			return []config.DataKey{{Kind: config.EncoderCacheData, Producer: p.Name}}
		},
		Treatment: ignoredAs("prompts are text"),
	}
)

type encoderCacheScorerParameters struct {
	ProducerName string `json:"producerName"`
}

func (p *encoderCacheScorerParameters) Check(*config.Loader, *field.Path) {
	p.ProducerName = config.OrDefault(p.ProducerName, config.EncoderCacheData)
}

type encoderCacheParameters struct {
	CacheSizeInMBPerServer int `json:"cacheSizeInMBPerServer"`
}

type nothingEncoded struct{}

func (nothingEncoded) Score(_ *scheduler.Cycle, _ []int, _ scheduler.Weight, scores []float64) {
	fill(scores, 0)
}

func (nothingEncoded) Rescore(*scheduler.Cycle, []int32, []int32, scheduler.Weight, []float64) (rescored []int32, ok bool) {
	return nil, true
}
