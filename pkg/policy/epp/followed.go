// SPDX-License-Identifier: Apache-2.0

package epp

// followedBefore are the types whose behaviour before router-v0.9 is that of this
// package: it has been compared with the source of each of the versions that have
// them. Others are loaded, and not simulated, there.
var followedBefore = map[string]versionRange{
	"kv-cache-scorer":              {},
	"kv-cache-utilization-scorer":  {},
	"load-aware-scorer":            {},
	loraAffinityScorerType:         {},
	prefixCacheScorerType:          {},
	queueScorerType:                {},
	"running-requests-size-scorer": {},

	decisionTreeFilterType:  {},
	"least-kv-cache-filter": {},
	"least-queue-filter":    {},
	"lora-affinity-filter":  {},
	"low-queue-filter":      {},

	latencyScorerType:              {},
	latencySLOAdmitterType:         {},
	predictedLatencyProducerType:   {},
	predictedLatencyScorerType:     {},
	sloHeadroomTierFilterType:      {},
	concurrencyDetectorType:        {},
	dataParallelProfileHandlerType: {},
	headerBasedTestingFilterType:   {},
	probabilisticAdmitterType:      {},
	tokenizerType:                  {},
	tokenProducerType:              {},

	maxScorePickerType:       {},
	"random-picker":          {},
	singleProfileHandlerType: {},
	utilizationDetectorType:  {},
	weightedRandomPickerType: {},

	// What engines report, and in which form requests come.
	coreMetricsExtractorType:       {},
	metricsDataSourceType:          {},
	modelServerProtocolMetricsType: {},
	"model-server-protocol-models": {},
	"models-data-extractor":        {},
	"models-data-source":           {},
	openAIParserType:               {},

	// What only looks on.
	servedVerifierType:             {},
	"endpoint-notification-source": {},
	"k8s-notification-source":      {},
	"request-attribute-reporter":   {},

	byLabelType:             {},
	byLabelSelectorType:     {},
	labelSelectorFilterType: {},
	decodeFilterType:        {},
	prefillFilterType:       {},
	encodeFilterType:        {},

	alwaysDisaggPDDeciderType:         {},
	alwaysDisaggMultimodalDeciderType: {},
	contextLengthAwareType:            {},
	disaggHeadersHandlerType:          {},
	disaggProfileHandlerType:          {},
	prefillHeaderHandlerType:          {},
	sessionAffinityScorerType:         {},
	pdProfileHandlerType:              {},
	noHitLRUScorerType:                {},
	prefixBasedPDDeciderType:          {},

	// These ask for the version themselves.
	approxPrefixCacheProducerType:   {},
	inFlightLoadProducerType:        {},
	prefixCacheAffinityFilterType:   {},
	tokenLoadScorerType:             {},
	activeRequestScorerType:         {},
	precisePrefixCacheScorerType:    {},
	precisePrefixCacheProducerType:  {},
	"fcfs-ordering-policy":          {},
	"edf-ordering-policy":           {},
	"slo-deadline-ordering-policy":  {},
	"global-strict-fairness-policy": {},
	"round-robin-fairness-policy":   {},
	"static-usage-limit-policy":     {},
}

// followed reports whether a plugin decides as its version's does.
func (c *Config) followed(p *plugin) bool {
	if c.dialect.framework >= router09 {
		return true
	}
	versions, known := followedBefore[p.Type]
	return known && versions.has(c.dialect.framework)
}
