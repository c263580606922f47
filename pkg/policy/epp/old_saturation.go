// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
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
func newOldSaturation(c *Config) oldSaturation {
	limits := newUtilizationParameters()
	if stated := c.document.SaturationLimits; stated != nil {
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
	return oldSaturation{limits: limits, share: c.dialect.framework >= scheduler06}
}

func (o oldSaturation) saturation(c *cycle) float64 {
	if o.share {
		return utilization{o.limits}.saturation(c)
	}
	for e := range c.scrapes {
		if !c.gone(e) && !c.unscraped && o.hasRoom(c, &c.scrapes[e]) {
			return 0
		}
	}
	return 1
}

func (o oldSaturation) hasRoom(c *cycle, s *policy.Scrape) bool {
	return c.now.Sub(s.At) <= time.Duration(*o.limits.MetricsStalenessThreshold) &&
		s.Waiting <= o.limits.QueueDepthThreshold && s.KVUsage <= o.limits.KVCacheUtilThreshold
}
