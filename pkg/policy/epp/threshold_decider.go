// SPDX-License-Identifier: Apache-2.0

package epp

import "fmt"

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
	left                  *prefixMatch // nil where there is no such scorer
}

func newThresholdDecider(b *builder, p *plugin) *thresholdDecider {
	parameters := p.Parameters.(*pdParameters)
	d := &thresholdDecider{threshold: parameters.Threshold, blockBytes: parameters.HashBlockSize, bytesPerToken: b.bytesPerToken()}
	switch own := b.dialect.own; {
	case own == scheduler02:
		d.left = leftInProfile(b, b.stages.decode)
	case own < scheduler05:
		d.left = leftBy(b, prefixCacheScorerType, parameters.PrefixPluginName)
	default:
		d.left = leftBy(b, parameters.PrefixPluginType, parameters.PrefixPluginName)
	}
	return d
}

func (d *thresholdDecider) decide(c *cycle, decode int) Reason {
	if d.threshold <= 0 {
		return Disaggregated
	}
	length, held := float64(int(float64(c.tokens)*d.bytesPerToken)), 0.0
	if d.left.isLeft(c) {
		held = float64(max(d.left.blocks[decode]-1, 0)*d.blockBytes) / length
	}
	switch threshold := float64(d.threshold); {
	case length < threshold:
		return InputTooShort
	case float64((1-held)*length) < threshold:
		return SuffixCached
	default:
		return Disaggregated
	}
}

// treatThreshold is how a handler that decides by itself is reproduced.
func treatThreshold(c *Config, cluster *Cluster, p *plugin) (Treatment, string) {
	if c.stages.prefill == "" || p.Parameters.(*pdParameters).Threshold <= 0 {
		return Exact, ""
	}
	return Approximated, fmt.Sprintf("a prompt has %v bytes for each of its tokens", cluster.bytesPerToken())
}
