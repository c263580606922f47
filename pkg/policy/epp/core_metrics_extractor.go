// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// coreMetricsExtractor finds the core metrics in what an engine reports, by
// names that differ by engine. Simulated engines report them as such.
var coreMetricsExtractor = config.PluginType{
	Name:         config.CoreMetricsExtractorType,
	Registration: version.GIE("gie-v1.5.."),
	Roles:        config.ExtractorRole,
	Payload:      config.MetricsPayload,
	Parameters: func() any {
		return &coreMetricsParameters{EngineLabelKey: defaultEngineLabel, DefaultEngine: defaultEngine}
	},
	Produces: func(*config.Plugin) []config.DataKey { return config.NeedsCoreMetrics(nil) },
	Treatment: func(_ *config.Config, _ *config.Cluster, p *config.Plugin) (config.Treatment, string) {
		if len(p.Parameters.(*coreMetricsParameters).EngineConfigs) > 0 {
			return config.Approximated, "engines report the core metrics whatever names engineConfigs looks for"
		}
		return config.NoEffect, "engines report the core metrics as such"
	},
}

const (
	defaultEngineLabel = "llm-d.ai/engine-type"
	defaultEngine      = "vllm"
)

// builtInEngines are known without engineConfigs.
var builtInEngines = []string{"vllm", "sglang", "trtllm-serve", "triton-tensorrt-llm", "triton"}

type coreMetricsParameters struct {
	EngineLabelKey string         `json:"engineLabelKey"`
	DefaultEngine  string         `json:"defaultEngine"`
	EngineConfigs  []engineConfig `json:"engineConfigs,omitempty"`
}

// engineConfig names an engine's metrics, each as metric or metric{label=value}.
type engineConfig struct {
	Name                    string         `json:"name"`
	QueuedRequestsSpec      string         `json:"queuedRequestsSpec"`
	RunningRequestsSpec     string         `json:"runningRequestsSpec"`
	KVUsageSpec             string         `json:"kvUsageSpec"`
	LoRASpec                string         `json:"loraSpec"`
	CacheInfoSpec           string         `json:"cacheInfoSpec"`
	CacheBlockSizeLabelName string         `json:"cacheBlockSizeLabelName,omitempty"`
	CacheNumBlocksLabelName string         `json:"cacheNumBlocksLabelName,omitempty"`
	CacheBlockSizeSpec      string         `json:"cacheBlockSizeSpec,omitempty"`
	CacheNumBlocksSpec      string         `json:"cacheNumBlocksSpec,omitempty"`
	CustomMetrics           []customMetric `json:"customMetrics,omitempty"`
}

type customMetric struct {
	AttributeKey string `json:"attributeKey"`
	MetricSpec   string `json:"metricSpec"`
}

func (p *coreMetricsParameters) Check(l *config.Loader, path *field.Path) {
	if p.EngineLabelKey == "" {
		p.EngineLabelKey = defaultEngineLabel
	}
	if p.DefaultEngine == "" {
		p.DefaultEngine = defaultEngine
	}
	known := slices.Clone(builtInEngines)
	for i := range p.EngineConfigs {
		engine, at := &p.EngineConfigs[i], path.Child("engineConfigs").Index(i)
		switch {
		case engine.Name == "":
			l.Add(field.Required(at.Child("name"), "an engine must have a name"))
		case engine.Name == "default":
			l.Add(field.Invalid(at.Child("name"), engine.Name, "is reserved"))
		case slices.Contains(known[len(builtInEngines):], engine.Name):
			l.Add(field.Duplicate(at.Child("name"), engine.Name))
		default:
			known = append(known, engine.Name)
		}
		engine.checkSpecs(l, at)
	}
	if !slices.Contains(known, p.DefaultEngine) {
		l.Add(field.Invalid(path.Child("defaultEngine"), p.DefaultEngine, fmt.Sprintf("no such engine; there are %s", strings.Join(known, ", "))))
	}
}

func (e *engineConfig) checkSpecs(l *config.Loader, path *field.Path) {
	check := func(at *field.Path, spec string) {
		if spec != "" && !config.MetricSpecForm.MatchString(spec) {
			l.Add(field.Invalid(at, spec, "must be a metric such as vllm:num_requests_waiting or metric{label=value}"))
		}
	}
	check(path.Child("queuedRequestsSpec"), e.QueuedRequestsSpec)
	check(path.Child("runningRequestsSpec"), e.RunningRequestsSpec)
	check(path.Child("kvUsageSpec"), e.KVUsageSpec)
	check(path.Child("loraSpec"), e.LoRASpec)
	check(path.Child("cacheInfoSpec"), e.CacheInfoSpec)
	check(path.Child("cacheBlockSizeSpec"), e.CacheBlockSizeSpec)
	check(path.Child("cacheNumBlocksSpec"), e.CacheNumBlocksSpec)
	for i, custom := range e.CustomMetrics {
		check(path.Child("customMetrics").Index(i).Child("metricSpec"), custom.MetricSpec)
	}
}
