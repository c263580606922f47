// SPDX-License-Identifier: Apache-2.0

package epp

import "k8s.io/apimachinery/pkg/util/validation/field"

// The multicluster plugins choose among other clusters' gateways, each of which
// is an endpoint, by what those say of their pools.
var (
	// multiclusterPrefixCacheScorer is prefixCacheScorer by another name.
	multiclusterPrefixCacheScorer = multicluster(&prefixCacheScorer)
	// multiclusterApproxPrefixCacheProducer is approxPrefixCacheProducer by
	// another name.
	multiclusterApproxPrefixCacheProducer = multicluster(&approxPrefixCacheProducer)
	// multiclusterSessionAffinityFilter is sessionAffinityFilter by another name.
	multiclusterSessionAffinityFilter = multicluster(&sessionAffinityFilter)
	// multiclusterFileDiscovery also takes host names.
	multiclusterFileDiscovery = multiclusterType(fileDiscovery)

	multiclusterMetricsDataSource = pluginType{
		name:         "multicluster-metrics-data-source",
		registration: gie("router-v0.10.."),
		roles:        dataSourceRole,
		alpha:        true,
		parameters:   func() any { return &metricsSourceParameters{Scheme: "https", Path: "/metrics"} },
		treatment:    ignoredAs("pools of other clusters report no metrics; what their scorers read is pinned in the attributes of a pool"),
	}
	multiclusterMetricsExtractor = pluginType{
		name:         multiclusterMetricsExtractorType,
		registration: gie("router-v0.10.."),
		roles:        extractorRole,
		alpha:        true,
		parameters:   func() any { return &poolMetricsParameters{} },
		produces:     func(*plugin) []dataKey { return []dataKey{{kind: poolMetricsData}} },
		treatment:    ignoredAs("pools of other clusters report no metrics; what their scorers read is pinned in the attributes of a pool"),
	}
)

// multicluster is a factory of a type that does what another one does.
func multicluster(f *factory) factory {
	same := *f
	same.pluginType = multiclusterType(f.pluginType)
	return same
}

func multiclusterType(t pluginType) pluginType {
	t.name, t.alpha = "multicluster-"+t.name, true
	return t.registered(gie("router-v0.10.."))
}

// needsPoolMetrics: the data are no instance's own.
func needsPoolMetrics(*plugin) []dataKey { return []dataKey{{kind: poolMetricsData}} }

type poolMetricsParameters struct {
	KVCacheUtilizationMetric string `json:"kvCacheUtilizationMetric"`
	QueueSizeMetric          string `json:"queueSizeMetric"`
}

func (p *poolMetricsParameters) check(l *loader, path *field.Path) {
	setDefault(&p.KVCacheUtilizationMetric, "llm_d_epp_average_kv_cache_utilization")
	setDefault(&p.QueueSizeMetric, "llm_d_epp_average_queue_size")
	checkMetricSpec(l, path.Child("kvCacheUtilizationMetric"), p.KVCacheUtilizationMetric)
	checkMetricSpec(l, path.Child("queueSizeMetric"), p.QueueSizeMetric)
}
