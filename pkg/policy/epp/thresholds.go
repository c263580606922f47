// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// DetectorThresholds are the KV usage and the queue at which the saturation detector of a
// configuration takes an endpoint for saturated; ok is false where the detector goes by something
// else.
func DetectorThresholds(c *config.Config) (kvUsage float64, queue int, ok bool) {
	if c.Dialect.Framework < version.GIE15 {
		limits := newOldSaturation(c).limits
		return limits.KVCacheUtilThreshold, limits.QueueDepthThreshold, true
	}
	detector := c.Document.FlowControl.SaturationDetector
	for _, p := range c.Document.Plugins {
		if limits, is := p.Parameters.(*utilizationParameters); is && detector != nil && p.Name == detector.PluginRef {
			return limits.KVCacheUtilThreshold, limits.QueueDepthThreshold, true
		}
	}
	return 0, 0, false
}
