// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// thresholdDecider is what pd-profile-handler decided by up to scheduler-v0.5,
// when it had no decider: a prompt is computed elsewhere unless less than threshold
// bytes of it are left for the decode endpoint. With threshold 0 all are.
//
// What that endpoint holds is what a prefix scorer left behind in the decode
// profile: blocks, the first of which was once the model's name and still does not
// count, of blockBytes each, whatever the scorer's own size is. Where no such scorer
// has run the endpoint holds nothing.
type thresholdDecider struct {
	threshold, blockBytes int
	bytesPerToken         float64
	published             *scheduler.PrefixMatch // nil where there is no such scorer
}

func newThresholdDecider(b *scheduler.Builder, p *config.Plugin) *thresholdDecider {
	parameters := p.Parameters.(*pdParameters)
	d := &thresholdDecider{threshold: parameters.Threshold, blockBytes: parameters.HashBlockSize, bytesPerToken: b.TokenBytes()}
	switch own := b.Dialect.Own; {
	case own == version.Scheduler02:
		d.published = publishedInProfile(b, b.Stages.Decode)
	case own < version.Scheduler05:
		d.published = publishedBy(b, config.PrefixCacheScorerType, parameters.PrefixPluginName)
	default:
		d.published = publishedBy(b, parameters.PrefixPluginType, parameters.PrefixPluginName)
	}
	return d
}

func (d *thresholdDecider) Decide(c *scheduler.Cycle, decode int) scheduler.Reason {
	if d.threshold <= 0 {
		return scheduler.Disaggregated
	}
	length, held := float64(int(float64(c.Tokens)*d.bytesPerToken)), 0.0
	if d.published.IsPublished(c) {
		held = float64(max(d.published.Blocks[decode]-1, 0)*d.blockBytes) / length
	}
	switch threshold := float64(d.threshold); {
	case length < threshold:
		return scheduler.InputTooShort
	case float64((1-held)*length) < threshold:
		return scheduler.SuffixCached
	default:
		return scheduler.Disaggregated
	}
}

// treatThreshold is how a handler that decides by itself is reproduced.
func treatThreshold(c *config.Config, cluster *config.Cluster, p *config.Plugin) (config.Treatment, string) {
	if c.Stages.Prefill == "" || p.Parameters.(*pdParameters).Threshold <= 0 {
		return config.Exact, ""
	}
	return config.Approximated, fmt.Sprintf("a prompt has %v bytes for each of its tokens", cluster.TokenBytes())
}
