// SPDX-License-Identifier: Apache-2.0

package epp

// Types of plugins that the loader knows by name: it makes instances of them, or treats
// them apart.
const (
	anthropicParserType              = "anthropic-parser"
	approxPrefixCacheProducerType    = "approx-prefix-cache-producer"
	coreMetricsExtractorType         = "core-metrics-extractor"
	encoderCacheProducerType         = "mm-embeddings-cache-producer"
	fcfsOrderingPolicyType           = "fcfs-ordering-policy"
	globalStrictFairnessPolicyType   = "global-strict-fairness-policy"
	inFlightLoadProducerType         = "inflight-load-producer"
	maxScorePickerType               = "max-score-picker"
	metricsDataSourceType            = "metrics-data-source"
	modelServerProtocolMetricsType   = "model-server-protocol-metrics"
	multiclusterMetricsExtractorType = "multicluster-metrics-extractor"
	openAIParserType                 = "openai-parser"
	passthroughParserType            = "passthrough-parser"
	predictedLatencyProducerType     = "predicted-latency-producer"
	prefixCacheScorerType            = "prefix-cache-scorer"
	singleProfileHandlerType         = "single-profile-handler"
	staticUsageLimitPolicyType       = "static-usage-limit-policy"
	tokenLoadScorerType              = "token-load-scorer"
	tokenProducerType                = "token-producer"
	topologyExtractorType            = "topology-extractor"
	utilizationDetectorType          = "utilization-detector"
	vllmHTTPParserType               = "vllmhttp-parser"
)
