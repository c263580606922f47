// SPDX-License-Identifier: Apache-2.0

package epp

import "slices"

// A dataKey names data that one plugin makes and others read. Instances of one
// producer type are told apart by name.
type dataKey struct {
	kind dataKind
	// producer is the name of the instance that makes the data.
	producer string
}

type dataKind string

const (
	prefixMatchData  dataKind = "prefix matches"
	inFlightLoadData dataKind = "in-flight load"
	// uncachedTokensData has no default producer, though that of the in-flight
	// load makes it too.
	uncachedTokensData dataKind = "uncached tokens"
	tokensData         dataKind = "tokenised prompts"
	encoderCacheData   dataKind = "encoder cache matches"
	coreMetricsData    dataKind = "core metrics"
	latencyData        dataKind = "predictions of latency"
	// poolMetricsData are of other clusters' pools.
	poolMetricsData dataKind = "metrics of pools"
)

// defaultProducer is the type that the loader makes an instance of, named like
// the type, where nobody provides the data; "" where there is none.
func defaultProducer(kind dataKind) string {
	switch kind {
	case prefixMatchData:
		return approxPrefixCacheProducerType
	case inFlightLoadData:
		return inFlightLoadProducerType
	case tokensData:
		return tokenProducerType
	case latencyData:
		return predictedLatencyProducerType
	case encoderCacheData:
		return encoderCacheProducerType
	default:
		return ""
	}
}

// orDefault returns the name of the instance that a parameter selects.
func orDefault(name string, kind dataKind) string {
	if name == "" {
		return defaultProducer(kind)
	}
	return name
}

// needsCoreMetrics is for plugins that read scraped metrics. The extractor's
// key does not follow the instance's name.
func needsCoreMetrics(*plugin) []dataKey {
	return []dataKey{{kind: coreMetricsData, producer: coreMetricsExtractorType}}
}

// needsTokens is for producers that read the prompt.
func needsTokens(*plugin) []dataKey {
	return []dataKey{{kind: tokensData, producer: tokenProducerType}}
}

// provides reports whether a plugin makes the data.
func (c *Config) provides(key dataKey) bool {
	return slices.ContainsFunc(c.document.Plugins, func(p *plugin) bool {
		return p.kind.produces != nil && slices.Contains(p.kind.produces(p), key)
	})
}

// reads reports whether a plugin requires the data.
func (c *Config) reads(key dataKey) bool {
	return slices.ContainsFunc(c.document.Plugins, func(p *plugin) bool {
		return p.kind.needs != nil && slices.Contains(p.kind.needs(p), key)
	})
}
