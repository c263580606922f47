// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// oldSaturation says whether the pool is saturated, in versions in which that is no
// plugin. Up to gie-v1.3 it is where no endpoint has room: fresh metrics, no longer
// a queue than its limit and no more KV cache in use than its limit. From
// scheduler-v0.6 on it is a share, as utilization-detector has it.
type oldSaturation struct {
	limits *utilizationParameters
	share  bool
}

// newOldSaturation returns the detector, with the limits that are stated.
func newOldSaturation(c *config.Config) oldSaturation {
	limits := newUtilizationParameters()
	if stated := c.Document.SaturationLimits; stated != nil {
		if stated.QueueDepthThreshold > 0 {
			limits.QueueDepthThreshold = stated.QueueDepthThreshold
		}
		if stated.KVCacheUtilThreshold > 0 && stated.KVCacheUtilThreshold < 1 {
			limits.KVCacheUtilThreshold = stated.KVCacheUtilThreshold
		}
		if stated.MetricsStalenessThreshold > 0 {
			limits.MetricsStalenessThreshold = &stated.MetricsStalenessThreshold
		}
	}
	return oldSaturation{limits: limits, share: c.Dialect.Framework >= version.Scheduler06}
}

func (o oldSaturation) Saturation(c *scheduler.Cycle) float64 {
	if o.share {
		return utilization{o.limits}.Saturation(c)
	}
	for e := range c.Scrapes {
		if !c.Gone(e) && !c.Unscraped && o.hasRoom(c, &c.Scrapes[e]) {
			return 0
		}
	}
	return 1
}

func (o oldSaturation) hasRoom(c *scheduler.Cycle, s *policy.Scrape) bool {
	return c.Now.Sub(s.At) <= time.Duration(*o.limits.MetricsStalenessThreshold) &&
		s.Waiting <= o.limits.QueueDepthThreshold && s.KVUsage <= o.limits.KVCacheUtilThreshold
}
