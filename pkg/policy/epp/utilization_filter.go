// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const utilizationFilterType = "utilization-filter"

// utilizationFilterPlugin keeps endpoints of which no metric exceeds its maxValue. With
// fallbackOnEmpty, all stay if none would.
var utilizationFilterPlugin = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         utilizationFilterType,
		Registration: version.GIE("router-v0.10.."),
		Roles:        config.FilterRole,
		Alpha:        true,
		Parameters:   func() any { return &utilizationFilterParameters{} },
		Needs: func(p *config.Plugin) []config.DataKey {
			parameters := p.Parameters.(*utilizationFilterParameters)
			if !parameters.counts() {
				return nil
			}
			return []config.DataKey{{Kind: config.InFlightLoadData, Producer: parameters.InFlightLoadProducerName}}
		},
	},
	NewFilter: func(b *scheduler.Builder, p *config.Plugin) scheduler.Filter {
		parameters := p.Parameters.(*utilizationFilterParameters)
		f := &metricsFilter{fallback: parameters.FallbackOnEmpty}
		for _, condition := range parameters.Conditions {
			f.metrics = append(f.metrics, condition.Metric)
			f.limits = append(f.limits, *condition.MaxValue)
		}
		if parameters.counts() {
			f.requests = b.Load(parameters.InFlightLoadProducerName).Requests
		}
		return f
	},
}

const (
	activeRequestsMetric  = "active-requests"
	runningRequestsMetric = "running-requests"
	waitingQueueMetric    = "waiting-queue"
	kvUtilizationMetric   = "kv-cache-utilization"
)

type utilizationFilterParameters struct {
	Conditions               []utilizationCondition `json:"conditions"`
	FallbackOnEmpty          bool                   `json:"fallbackOnEmpty"`
	InFlightLoadProducerName string                 `json:"inFlightLoadProducerName"`
}

type utilizationCondition struct {
	Metric   string   `json:"metric"`
	MaxValue *float64 `json:"maxValue"`
}

// counts reports whether a condition needs the EPP's own count.
func (p *utilizationFilterParameters) counts() bool {
	return slices.ContainsFunc(p.Conditions, func(c utilizationCondition) bool { return c.Metric == activeRequestsMetric })
}

func (p *utilizationFilterParameters) Check(l *config.Loader, path *field.Path) {
	p.InFlightLoadProducerName = config.OrDefault(p.InFlightLoadProducerName, config.InFlightLoadData)
	if len(p.Conditions) == 0 {
		l.Add(field.Required(path.Child("conditions"), "there must be at least one"))
	}
	for i := range p.Conditions {
		p.Conditions[i].Check(l, path.Child("conditions").Index(i))
	}
}

func (c *utilizationCondition) Check(l *config.Loader, path *field.Path) {
	switch c.Metric {
	case activeRequestsMetric, runningRequestsMetric, waitingQueueMetric, kvUtilizationMetric:
	default:
		l.Add(field.NotSupported(path.Child("metric"), c.Metric, []string{activeRequestsMetric, kvUtilizationMetric, runningRequestsMetric, waitingQueueMetric}))
	}
	switch at := path.Child("maxValue"); {
	case c.MaxValue == nil:
		l.Add(field.Required(at, "a condition must have a limit"))
	case *c.MaxValue < 0:
		l.Add(field.Invalid(at, *c.MaxValue, "must not be negative"))
	case c.Metric == kvUtilizationMetric && *c.MaxValue > 1:
		l.Add(field.Invalid(at, *c.MaxValue, "is a fraction and must be at most 1"))
	}
}

type metricsFilter struct {
	metrics  []string
	limits   []float64
	fallback bool
	requests []int64 // by endpoint; nil where no condition is on them
}

func (f *metricsFilter) Filter(c *scheduler.Cycle, candidates []int) []int {
	kept := candidates[:0]
	for _, e := range candidates {
		if f.passes(c, e) {
			kept = append(kept, e)
		}
	}
	if len(kept) == 0 && f.fallback {
		return candidates // nothing was written over
	}
	return kept
}

func (f *metricsFilter) passes(c *scheduler.Cycle, endpoint int) bool {
	for i, metric := range f.metrics {
		if f.Value(c, metric, endpoint) > f.limits[i] {
			return false
		}
	}
	return true
}

func (f *metricsFilter) Value(c *scheduler.Cycle, metric string, endpoint int) float64 {
	switch metric {
	case activeRequestsMetric:
		return float64(f.requests[endpoint])
	case runningRequestsMetric:
		return float64(c.Scrapes[endpoint].Running)
	case waitingQueueMetric:
		return float64(c.Scrapes[endpoint].Waiting)
	default:
		return c.Scrapes[endpoint].KVUsage
	}
}
