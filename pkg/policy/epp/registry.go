// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/flowcontrol"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

// factories are the types that take part in routing.
var factories = []*scheduler.Factory{
	&queueScorer, &kvCacheUtilizationScorer, &runningRequestsSizeScorer, &loadAwareScorer,
	&activeRequestScorer, &tokenLoadScorer, &modalPrefixCacheScorer, &legacyPrefixCacheScorer,
	&prefixCacheScorer, &noHitLRUScorer, &contextLengthAware, &loraAffinityScorer,
	&sessionAffinityScorer, &topologyAffinityScorer, &prefixCacheAffinityFilter,
	&utilizationFilterPlugin, &sessionAffinityFilter, &topologyAffinityFilter, &oldDecodeFilter,
	&oldPrefillFilter, &decodeFilter, &prefillFilter, &encodeFilter, &byLabel, &labelSelectorFilter,
	&byLabelSelector, &approxPrefixCacheProducer, &inFlightLoadProducer, &tokenProducer, &tokenizer,
	&oldTokenizer, &encoderCacheScorer, &pdProfileHandler, &prefixBasedPDDecider,
	&alwaysDisaggPDDecider, &alwaysDisaggMultimodalDecider, &maxScorePicker, &randomPicker,
	&weightedRandomPicker, &utilizationDetector, &concurrencyDetector, &probabilisticAdmitter,
	&kvCacheScorer, &decisionTreeFilter, &leastQueueFilter, &leastKVCacheFilter, &lowQueueFilter,
	&loraAffinityFilter, &predictedLatencyScorer, &precisePrefixCacheProducer,
	&precisePrefixCacheScorer, &predictedLatencyProducer, &latencyScorer, &sloHeadroomTierFilter,
	&latencySLOAdmitter, &endpointAttributeScorer, &endpointAttributeFilter,
	&headerLabelAffinityScorer, &headerBasedTestingFilter, &burstPrefixCacheProducer,
	&multiclusterQueueScorer, &multiclusterKVCacheUtilizationScorer, &multiclusterPrefixCacheScorer,
	&multiclusterApproxPrefixCacheProducer, &multiclusterSessionAffinityFilter,
	&maxSaturationDetector, &latencyObserverProducer, &latencyObservationScorerHub,
}

// unrouted are the types that the loader knows and that do nothing to a request's
// route: profile handlers, parsers, sources, and types that cannot be simulated.
var unrouted = []*config.PluginType{
	&encoderCacheProducer, &singleProfileHandler, &disaggProfileHandler, &disaggHeadersHandler,
	&prefillHeaderHandler, &metricsDataSource, &coreMetricsExtractor, &topologyExtractor,
	&agentIdentity, &servedVerifier, &fileDiscovery, &endpointNotificationSource,
	&k8sNotificationSource, &modelsDataSource, &modelsDataExtractor, &requestAttributeReporter,
	&sessionIDProducer, &openAIParser, &anthropicParser, &vllmHTTPParser, &sglangHTTPParser,
	&vllmGRPCParser, &vertexAIParser, &passthroughParser, &modelServerProtocolMetrics,
	&modelServerProtocolModels, &dcgmDataSource, &dcgmExtractor, &headerProfileHandler,
	&dataParallelProfileHandler, &p2pSourceProducer, &disaggregatedSetRolloutScreener,
	&multiclusterFileDiscovery, &multiclusterMetricsDataSource, &multiclusterMetricsExtractor,
	&endpointAttributeWeightScorer, &labelProducer, &latencyObservationScorer, &sessionStateProducer,
	&k8sPeerDiscovery,
}

// types are those of all versions.
var types = func() config.Registry {
	all := append(config.Registry{}, unrouted...)
	for _, f := range factories {
		all = append(all, &f.PluginType)
	}
	return append(all, flowcontrol.Types()...)
}()
