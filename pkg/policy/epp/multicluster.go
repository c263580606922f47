// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

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

	multiclusterMetricsDataSource = config.PluginType{
		Name:         "multicluster-metrics-data-source",
		Registration: version.GIE("router-v0.10.."),
		Roles:        config.DataSourceRole,
		Payload:      config.MetricsPayload,
		Alpha:        true,
		Parameters:   func() any { return &metricsSourceParameters{Scheme: "https", Path: "/metrics"} },
		Treatment:    ignoredAs("pools of other clusters report no metrics; what their scorers read is pinned in the attributes of a pool"),
	}
	multiclusterMetricsExtractor = config.PluginType{
		Name:         config.MulticlusterMetricsExtractorType,
		Registration: version.GIE("router-v0.10.."),
		Roles:        config.ExtractorRole,
		Payload:      config.MetricsPayload,
		Alpha:        true,
		Parameters:   func() any { return &poolMetricsParameters{} },
		Produces:     func(*config.Plugin) []config.DataKey { return []config.DataKey{{Kind: config.PoolMetricsData}} },
		Treatment:    ignoredAs("pools of other clusters report no metrics; what their scorers read is pinned in the attributes of a pool"),
	}
)

// multicluster is a factory of a type that does what another one does.
func multicluster(f *scheduler.Factory) scheduler.Factory {
	same := *f
	same.PluginType = multiclusterType(f.PluginType)
	return same
}

func multiclusterType(t config.PluginType) config.PluginType {
	t.Name, t.Alpha = "multicluster-"+t.Name, true
	return t.Registered(version.GIE("router-v0.10.."))
}

// needsPoolMetrics: the data are no instance's own.
func needsPoolMetrics(*config.Plugin) []config.DataKey {
	return []config.DataKey{{Kind: config.PoolMetricsData}}
}

type poolMetricsParameters struct {
	KVCacheUtilizationMetric string `json:"kvCacheUtilizationMetric"`
	QueueSizeMetric          string `json:"queueSizeMetric"`
}

func (p *poolMetricsParameters) Check(l *config.Loader, path *field.Path) {
	config.SetDefault(&p.KVCacheUtilizationMetric, "llm_d_epp_average_kv_cache_utilization")
	config.SetDefault(&p.QueueSizeMetric, "llm_d_epp_average_queue_size")
	config.CheckMetricSpec(l, path.Child("kvCacheUtilizationMetric"), p.KVCacheUtilizationMetric)
	config.CheckMetricSpec(l, path.Child("queueSizeMetric"), p.QueueSizeMetric)
}
