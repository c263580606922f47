// SPDX-License-Identifier: Apache-2.0

package config

// Types of plugins that the loader knows by name: it makes instances of them, or treats
// them apart.
const (
	AgentIdentityType                = "agent-identity"
	AnthropicParserType              = "anthropic-parser"
	ApproxPrefixCacheProducerType    = "approx-prefix-cache-producer"
	CoreMetricsExtractorType         = "core-metrics-extractor"
	EncoderCacheProducerType         = "mm-embeddings-cache-producer"
	FCFSOrderingPolicyType           = "fcfs-ordering-policy"
	GlobalStrictFairnessPolicyType   = "global-strict-fairness-policy"
	InFlightLoadProducerType         = "inflight-load-producer"
	LatencyObserverProducerType      = "latency-observer-producer-hub"
	MaxScorePickerType               = "max-score-picker"
	MetricsDataSourceType            = "metrics-data-source"
	ModelServerProtocolMetricsType   = "model-server-protocol-metrics"
	MulticlusterMetricsExtractorType = "multicluster-metrics-extractor"
	OpenAIParserType                 = "openai-parser"
	PassthroughParserType            = "passthrough-parser"
	PredictedLatencyProducerType     = "predicted-latency-producer"
	PrefixCacheScorerType            = "prefix-cache-scorer"
	SingleProfileHandlerType         = "single-profile-handler"
	StaticUsageLimitPolicyType       = "static-usage-limit-policy"
	TokenLoadScorerType              = "token-load-scorer"
	TokenProducerType                = "token-producer"
	TopologyExtractorType            = "topology-extractor"
	UtilizationDetectorType          = "utilization-detector"
	ConcurrencyDetectorType          = "concurrency-detector"
	VLLMHTTPParserType               = "vllmhttp-parser"
)
