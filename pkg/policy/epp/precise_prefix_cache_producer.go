// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const precisePrefixCacheProducerType = "precise-prefix-cache-producer"

// precisePrefixCacheProducer knows which endpoint holds which blocks from events
// of the engines' caches. It counts an endpoint's consecutive full blocks from the
// prompt's first one on, each as what the best tier weighs that has it, and rounds
// the sum down. Where it speculates, an endpoint is believed to hold a prompt's
// blocks for a while once the request was sent there.
var precisePrefixCacheProducer = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         precisePrefixCacheProducerType,
		Registration: version.GIE("router-v0.9.."),
		Roles:        config.ProducerRole | config.ExtractorRole,
		Payload:      config.EndpointPayload,
		Parameters:   newPreciseParameters,
		Needs:        config.NeedsTokens,
		Produces: func(p *config.Plugin) []config.DataKey {
			return []config.DataKey{{Kind: config.PrefixMatchData, Producer: p.Name}}
		},
		Treatment: preciseTreatment(func(p *config.Plugin) *preciseParameters { return p.Parameters.(*preciseParameters) }),
		Freshness: "events of the engines' caches, late by the cluster's event lag",
		Obstacles: func(_ *config.Config, _ *config.Cluster, p *config.Plugin, at *field.Path) field.ErrorList {
			return p.Parameters.(*preciseParameters).obstacles(at)
		},
	},
	NewProducer: func(b *scheduler.Builder, p *config.Plugin) scheduler.Producer {
		return newPrecisePrefix(b, p.Name, p.Parameters.(*preciseParameters), false)
	},
}

// preciseParameters leave out what is not stated: defaults apply to each object
// that is there.
type preciseParameters struct {
	TokenProcessorConfig *tokenProcessor `json:"tokenProcessorConfig,omitempty" versions:"scheduler-v0.5.."`
	IndexerConfig        *indexerConfig  `json:"indexerConfig"`
	KVEventsConfig       *kvEventsConfig `json:"kvEventsConfig"`
	SpeculativeIndexing  bool            `json:"speculativeIndexing" versions:"scheduler-v0.7.."`
	SpeculativeTTL       string          `json:"speculativeTTL,omitempty" versions:"scheduler-v0.7.."`
}

type tokenProcessor struct {
	// BlockSize is the old name of BlockSizeTokens.
	BlockSize       int    `json:"blockSize,omitempty"`
	BlockSizeTokens int    `json:"blockSizeTokens" versions:"router-v0.9.."`
	HashSeed        string `json:"hashSeed,omitempty"`
	HashAlgorithm   string `json:"hashAlgorithm,omitempty" versions:"router-main.."`
}

type indexerConfig struct {
	// TokenProcessorConfig stands above from scheduler-v0.5 on.
	TokenProcessorConfig *tokenProcessor `json:"tokenProcessorConfig,omitempty" versions:"..scheduler-v0.4"`
	KVBlockIndexConfig   *kvBlockIndex   `json:"kvBlockIndexConfig,omitempty"`
	KVBlockScorerConfig  *kvBlockScorer  `json:"KVBlockScorerConfig,omitempty"`
	BackendConfigs       []*cacheTier    `json:"kvCacheBackendConfigs" versions:"scheduler-v0.4.."`
	TokenizersPool       *tokenizersPool `json:"tokenizersPoolConfig,omitempty"`
}

// kvBlockIndex is kept by the first backend that is configured, in the order
// cost-aware, Redis, in memory.
type kvBlockIndex struct {
	InMemoryConfig         *inMemoryIndex  `json:"inMemoryConfig"`
	RedisConfig            *redisIndex     `json:"redisConfig,omitempty"`
	CostAwareMemoryConfig  *costAwareIndex `json:"costAwareMemoryConfig,omitempty"`
	EnableMetrics          bool            `json:"enableMetrics,omitempty"`
	MetricsLoggingInterval int64           `json:"metricsLoggingInterval,omitempty"` // ns
}

type inMemoryIndex struct {
	Size         int `json:"size"`
	PodCacheSize int `json:"podCacheSize"`
}

type redisIndex struct {
	Address string `json:"address,omitempty"`
}

type costAwareIndex struct {
	Size string `json:"size,omitempty"`
}

type kvBlockScorer struct {
	ScoringStrategy string       `json:"ScoringStrategy,omitempty"`
	BackendConfigs  []*cacheTier `json:"backendConfigs,omitempty"`
}

// A cacheTier is where blocks lie, and what one there counts.
type cacheTier struct {
	Name   string  `json:"name"`
	Weight float64 `json:"weight"`
}

// tokenizersPool belongs to releases that had their own tokenizers.
type tokenizersPool struct {
	ModelName    string        `json:"modelName,omitempty"`
	WorkersCount int           `json:"workersCount,omitempty"`
	UDS          *udsTokenizer `json:"uds,omitempty"`
}

type kvEventsConfig struct {
	ZMQEndpoint        string        `json:"zmqEndpoint,omitempty"`
	TopicFilter        string        `json:"topicFilter"`
	Concurrency        int           `json:"concurrency"`
	EngineType         string        `json:"engineType,omitempty"`
	DiscoverPods       bool          `json:"discoverPods"`
	PodDiscoveryConfig *podDiscovery `json:"podDiscoveryConfig"`
}

type podDiscovery struct {
	PodLabelSelector string `json:"podLabelSelector"`
	PodNamespace     string `json:"podNamespace,omitempty"`
	SocketPort       int    `json:"socketPort"`
	ReplaySocketPort int    `json:"replaySocketPort,omitempty" versions:"router-v0.10.."`
}

func newPreciseParameters() any {
	return &preciseParameters{IndexerConfig: newIndexerConfig(), KVEventsConfig: newKVEventsConfig()}
}

func newIndexerConfig() *indexerConfig {
	return &indexerConfig{
		KVBlockIndexConfig:  newKVBlockIndex(),
		KVBlockScorerConfig: &kvBlockScorer{ScoringStrategy: longestPrefix},
		BackendConfigs:      newCacheTiers(),
	}
}

func newKVBlockIndex() *kvBlockIndex {
	return &kvBlockIndex{InMemoryConfig: &inMemoryIndex{Size: 1e8, PodCacheSize: 10}}
}

func newCacheTiers() []*cacheTier { return []*cacheTier{{"gpu", 1}, {"cpu", 0.8}} }

func newKVEventsConfig() *kvEventsConfig {
	return &kvEventsConfig{
		TopicFilter:        "kv@",
		Concurrency:        4,
		DiscoverPods:       true,
		PodDiscoveryConfig: &podDiscovery{PodLabelSelector: "llm-d.ai/inference-serving=true", SocketPort: 5557},
	}
}

func (p *preciseParameters) Check(l *config.Loader, path *field.Path) {
	if p.IndexerConfig != nil && p.IndexerConfig.TokenizersPool != nil {
		l.Add(field.Forbidden(path.Child("indexerConfig", "tokenizersPoolConfig"), "list a "+config.TokenProducerType+" instead"))
	}
	p.checkAll(l, path)
}

// blockTokens is the size of the index's blocks.
func (p *preciseParameters) blockTokens() int {
	if p.TokenProcessorConfig == nil {
		return p.IndexerConfig.TokenProcessorConfig.BlockSize
	}
	return p.TokenProcessorConfig.BlockSizeTokens
}

// obstacles are blocks of no tokens, over which EPPs hang that do not check.
func (p *preciseParameters) obstacles(at *field.Path) field.ErrorList {
	if size := p.blockTokens(); size <= 0 {
		return field.ErrorList{field.Invalid(at.Child("parameters"), size, "the EPP would hang over the first request, as a block has no tokens")}
	}
	return nil
}

// checkAll is what the producer has in common with [precisePrefixCacheScorer].
func (p *preciseParameters) checkAll(l *config.Loader, path *field.Path) {
	p.checkIndexer(l, path.Child("indexerConfig"))
	p.checkBlockSize(l, path.Child("tokenProcessorConfig"))
	p.checkEvents(l, path.Child("kvEventsConfig"))
	if _, err := time.ParseDuration(p.SpeculativeTTL); p.SpeculativeIndexing && p.SpeculativeTTL != "" && err != nil {
		l.Add(field.Invalid(path.Child("speculativeTTL"), p.SpeculativeTTL, "must be a duration such as 2s"))
	}
}

// checkBlockSize is for versions without BlockSizeTokens, where a stated object has
// no default.
func (t *tokenProcessor) checkBlockSize(l *config.Loader, at *field.Path) {
	if t.BlockSize <= 0 && l.Clock == version.SchedulerMay {
		l.Add(field.Invalid(at, t.BlockSize, "must be greater than 0"))
	}
	t.BlockSizeTokens = t.BlockSize
}

func (p *preciseParameters) checkBlockSize(l *config.Loader, path *field.Path) {
	if l.Clock < version.Scheduler05 {
		if i := p.IndexerConfig; i != nil && i.TokenProcessorConfig == nil {
			i.TokenProcessorConfig = &tokenProcessor{BlockSize: defaultBlockTokens}
		}
		return
	}
	if p.TokenProcessorConfig == nil {
		p.TokenProcessorConfig = &tokenProcessor{BlockSize: defaultBlockTokens}
	}
	t := p.TokenProcessorConfig
	if l.Clock < version.Router09 {
		t.checkBlockSize(l, path.Child("blockSize"))
		return
	}
	if t.BlockSizeTokens == 0 && t.BlockSize != 0 {
		if t.BlockSize != defaultBlockTokens {
			l.Notice(path.Child("blockSize"), "deprecated", "deprecated, use blockSizeTokens")
		}
		t.BlockSizeTokens = t.BlockSize
	}
	if t.BlockSize = 0; t.BlockSizeTokens == 0 {
		t.BlockSizeTokens = defaultBlockTokens
	}
	if t.BlockSizeTokens < 0 {
		l.Add(field.Invalid(path.Child("blockSizeTokens"), t.BlockSizeTokens, "must be greater than 0"))
	}
	if t.HashAlgorithm != "" {
		config.CheckOneOf(l, path.Child("hashAlgorithm"), t.HashAlgorithm, []string{"cbor-fnv", "xxh64"})
	}
}
