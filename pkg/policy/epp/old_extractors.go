// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// Extractors that have other names now.
var (
	// modelServerProtocolMetrics became core-metrics-extractor with gie-v1.5.
	modelServerProtocolMetrics = config.PluginType{
		Name:         config.ModelServerProtocolMetricsType,
		Registration: version.GIE("gie-v1.3..gie-v1.4"),
		Roles:        config.ExtractorRole,
		Payload:      config.MetricsPayload,
		Parameters:   func() any { return &protocolMetricsParameters{} },
		Treatment:    ignoredAs("engines report the core metrics as such"),
	}
	// modelServerProtocolModels became models-data-extractor.
	modelServerProtocolModels = config.PluginType{
		Name:         "model-server-protocol-models",
		Registration: version.LLMD("scheduler-v0.6..scheduler-v0.8"),
		Roles:        config.ExtractorRole,
		Payload:      config.ModelsPayload,
		Treatment:    ignoredAs("no plugin reads the models that engines serve"),
	}
)

type protocolMetricsParameters struct {
	EngineLabelKey string         `json:"engineLabelKey,omitempty" versions:"gie-v1.4.."`
	DefaultEngine  string         `json:"defaultEngine,omitempty" versions:"gie-v1.4.."`
	EngineConfigs  []engineConfig `json:"engineConfigs,omitempty" versions:"gie-v1.4.."`

	QueueRequestsSpec string `json:"queueRequestsSpec,omitempty" versions:"..gie-v1.3"`
	KVUsageSpec       string `json:"kvUsageSpec,omitempty" versions:"..gie-v1.3"`
	LoRASpec          string `json:"loraSpec,omitempty" versions:"..gie-v1.3"`
	CacheInfoSpec     string `json:"cacheInfoSpec,omitempty" versions:"..gie-v1.3"`
}
