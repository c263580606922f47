// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/document"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// utilizationDetector as a filter drops endpoints that are overloaded by the
// last scrape: a queue of queueDepthThreshold·(1 + headroom) or more, KV cache
// use of kvCacheUtilThreshold·(1 + headroom) or more, or a scrape older than
// metricsStalenessThreshold. Where that would leave none, all stay.
//
// As the saturation detector it has requests of negative priority shed while
// the mean over endpoints of max(queue/queueDepthThreshold, KV cache
// use/kvCacheUtilThreshold) is 1 or more. A stale endpoint counts 1.
var utilizationDetector = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         config.UtilizationDetectorType,
		Registration: version.GIE("gie-v1.5.."),
		Roles:        config.FilterRole | config.SaturationDetectorRole,
		Parameters:   func() any { return newUtilizationParameters() },
		Treatment:    treatDetector,
	},
	NewDetector: func(_ *scheduler.Builder, p *config.Plugin) scheduler.SaturationDetector {
		return utilization{p.Parameters.(*utilizationParameters)}
	},
	NewFilter: func(_ *scheduler.Builder, p *config.Plugin) scheduler.Filter {
		parameters := p.Parameters.(*utilizationParameters)
		return utilizationFilter{
			queueLimit: float64(parameters.QueueDepthThreshold) * (1 + parameters.Headroom),
			kvLimit:    parameters.KVCacheUtilThreshold * (1 + parameters.Headroom),
			staleAfter: time.Duration(*parameters.MetricsStalenessThreshold),
		}
	},
}

type utilizationParameters struct {
	QueueDepthThreshold       int                `json:"queueDepthThreshold"`
	KVCacheUtilThreshold      float64            `json:"kvCacheUtilThreshold"`
	MetricsStalenessThreshold *document.Duration `json:"metricsStalenessThreshold"`
	Headroom                  float64            `json:"headroom"`
}

func newUtilizationParameters() *utilizationParameters {
	staleness := standardStaleness
	return &utilizationParameters{QueueDepthThreshold: 5, KVCacheUtilThreshold: 0.8, MetricsStalenessThreshold: &staleness}
}

const standardStaleness = document.Duration(200 * time.Millisecond)

func (p *utilizationParameters) Check(l *config.Loader, path *field.Path) {
	if p.QueueDepthThreshold <= 0 {
		l.Add(field.Invalid(path.Child("queueDepthThreshold"), p.QueueDepthThreshold, "must be greater than 0"))
	}
	if p.KVCacheUtilThreshold <= 0 || p.KVCacheUtilThreshold > 1 {
		l.Add(field.Invalid(path.Child("kvCacheUtilThreshold"), p.KVCacheUtilThreshold, "must be greater than 0 and at most 1"))
	}
	if p.MetricsStalenessThreshold == nil {
		p.MetricsStalenessThreshold = newUtilizationParameters().MetricsStalenessThreshold
	}
	if *p.MetricsStalenessThreshold <= 0 {
		l.Add(field.Invalid(path.Child("metricsStalenessThreshold"), time.Duration(*p.MetricsStalenessThreshold).String(), "must be greater than 0"))
	}
	if p.Headroom < 0 {
		l.Add(field.Invalid(path.Child("headroom"), p.Headroom, "must not be negative"))
	}
}

// treatDetector is for plugins that detect saturation and filter.
func treatDetector(c *config.Config, _ *config.Cluster, p *config.Plugin) (config.Treatment, string) {
	switch {
	case !detects(c, p):
	case c.FlowControlled():
		return config.Exact, "says whether requests wait"
	default:
		return config.Exact, "sheds requests of negative priority"
	}
	switch {
	case c.InProfile(p):
		return config.Exact, ""
	default:
		return config.NoEffect, "neither in a scheduling profile nor the saturation detector"
	}
}

type utilization struct{ *utilizationParameters }

func (u utilization) Saturation(c *scheduler.Cycle) float64 {
	if c.Present == 0 {
		return 1
	}
	sum := 0.0
	for e := range c.Scrapes {
		if c.Gone(e) {
			continue
		}
		s := &c.Scrapes[e]
		if c.Unscraped || c.Now.Sub(s.At) > time.Duration(*u.MetricsStalenessThreshold) {
			sum++
			continue
		}
		sum += utilizationOf(s, float64(u.QueueDepthThreshold), u.KVCacheUtilThreshold)
	}
	return sum / float64(c.Present)
}

// utilizationOf is 1 where a queue or the KV cache is at its threshold.
func utilizationOf(s *policy.Scrape, queue, kv float64) float64 {
	return max(float64(s.Waiting)/queue, s.KVUsage/kv)
}

type utilizationFilter struct {
	queueLimit, kvLimit float64
	staleAfter          time.Duration
}

func (f utilizationFilter) Filter(c *scheduler.Cycle, candidates []int) []int {
	kept := 0
	for i, e := range candidates {
		s := &c.Scrapes[e]
		if c.Unscraped || c.Now.Sub(s.At) > f.staleAfter || float64(s.Waiting) >= f.queueLimit || s.KVUsage >= f.kvLimit {
			continue
		}
		// Swapping keeps the others in the slice, in case all are needed.
		candidates[kept], candidates[i] = candidates[i], candidates[kept]
		kept++
	}
	if kept == 0 {
		return candidates
	}
	return candidates[:kept]
}
