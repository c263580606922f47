// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// coreMetricsExtractor finds the core metrics in what an engine reports, by
// names that differ by engine. Simulated engines report them as such.
var coreMetricsExtractor = pluginType{
	name:         coreMetricsExtractorType,
	registration: gie("gie-v1.5.."),
	roles:        extractorRole,
	parameters: func() any {
		return &coreMetricsParameters{EngineLabelKey: defaultEngineLabel, DefaultEngine: defaultEngine}
	},
	produces: func(*plugin) []dataKey { return needsCoreMetrics(nil) },
	treatment: func(_ *Config, _ *Cluster, p *plugin) (Treatment, string) {
		if len(p.Parameters.(*coreMetricsParameters).EngineConfigs) > 0 {
			return Approximated, "engines report the core metrics whatever names engineConfigs looks for"
		}
		return NoEffect, "engines report the core metrics as such"
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

func (p *coreMetricsParameters) check(l *loader, path *field.Path) {
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
			l.add(field.Required(at.Child("name"), "an engine must have a name"))
		case engine.Name == "default":
			l.add(field.Invalid(at.Child("name"), engine.Name, "is reserved"))
		case slices.Contains(known[len(builtInEngines):], engine.Name):
			l.add(field.Duplicate(at.Child("name"), engine.Name))
		default:
			known = append(known, engine.Name)
		}
		engine.checkSpecs(l, at)
	}
	if !slices.Contains(known, p.DefaultEngine) {
		l.add(field.Invalid(path.Child("defaultEngine"), p.DefaultEngine, fmt.Sprintf("no such engine; there are %s", strings.Join(known, ", "))))
	}
}

func (e *engineConfig) checkSpecs(l *loader, path *field.Path) {
	check := func(at *field.Path, spec string) {
		if spec != "" && !metricSpecForm.MatchString(spec) {
			l.add(field.Invalid(at, spec, "must be a metric such as vllm:num_requests_waiting or metric{label=value}"))
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
