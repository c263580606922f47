// SPDX-License-Identifier: Apache-2.0

package config

import "slices"

// A DataKey names data that one plugin makes and others read. Instances of one
// producer type differ by name.
type DataKey struct {
	Kind DataKind
	// Producer is the name of the instance that makes the data.
	Producer string
}

// A DataKind says what data are about.
type DataKind string

// Kinds of data. No two mean the same.
const (
	PrefixMatchData  DataKind = "prefix matches"
	InFlightLoadData DataKind = "in-flight load"
	// UncachedTokensData has no default producer, though that of the in-flight
	// load makes it too.
	UncachedTokensData DataKind = "uncached tokens"
	TokensData         DataKind = "tokenised prompts"
	EncoderCacheData   DataKind = "encoder cache matches"
	coreMetricsData    DataKind = "core metrics"
	LatencyData        DataKind = "predictions of latency"
	// ObservedLatencyData are of the first tokens of answers.
	ObservedLatencyData DataKind = "observed latencies"
	// PoolMetricsData are of other clusters' pools.
	PoolMetricsData DataKind = "metrics of pools"
)

// defaultProducer is the type that the loader makes an instance of, named like
// the type, if no plugin provides the data; "" if the loader makes none.
func defaultProducer(kind DataKind) string {
	switch kind {
	case PrefixMatchData:
		return ApproxPrefixCacheProducerType
	case InFlightLoadData:
		return InFlightLoadProducerType
	case TokensData:
		return TokenProducerType
	case LatencyData:
		return PredictedLatencyProducerType
	case EncoderCacheData:
		return EncoderCacheProducerType
	case ObservedLatencyData:
		return LatencyObserverProducerType
	default:
		return ""
	}
}

// OrDefault returns the name of the instance that a parameter selects.
func OrDefault(name string, kind DataKind) string {
	if name == "" {
		return defaultProducer(kind)
	}
	return name
}

// NeedsCoreMetrics is for plugins that read scraped metrics. The extractor's
// key does not follow the instance's name.
func NeedsCoreMetrics(*Plugin) []DataKey {
	return []DataKey{{Kind: coreMetricsData, Producer: CoreMetricsExtractorType}}
}

// NeedsTokens is for producers that read the prompt.
func NeedsTokens(*Plugin) []DataKey {
	return []DataKey{{Kind: TokensData, Producer: TokenProducerType}}
}

// Provides reports whether a plugin makes the data.
func (c *Config) Provides(key DataKey) bool {
	return slices.ContainsFunc(c.Document.Plugins, func(p *Plugin) bool {
		return p.Kind.Produces != nil && slices.Contains(p.Kind.Produces(p), key)
	})
}

// Reads reports whether a plugin requires the data.
func (c *Config) Reads(key DataKey) bool {
	return slices.ContainsFunc(c.Document.Plugins, func(p *Plugin) bool {
		return p.Kind.Needs != nil && slices.Contains(p.Kind.Needs(p), key)
	})
}
