// SPDX-License-Identifier: Apache-2.0

package epp

import "k8s.io/apimachinery/pkg/util/validation/field"

const prefixBasedPDDeciderType = "prefix-based-pd-decider"

// prefixBasedPDDecider has a prompt computed elsewhere where it has promptTokens
// or more and of it nonCachedTokens or more that the decode endpoint is not
// believed to hold. With nonCachedTokens 0 it never does. It only asks the
// producer named approx-prefix-cache-producer, and never does without it.
var prefixBasedPDDecider = pluginType{
	name:       prefixBasedPDDeciderType,
	roles:      deciderRole,
	parameters: func() any { return &pdDeciderParameters{} },
	treatment: treatDecider(func(c *Config, cluster *Cluster, p *plugin) (Treatment, string) {
		switch producer := c.plugin(approxPrefixCacheProducerType); {
		case p.Parameters.(*pdDeciderParameters).NonCachedTokens == 0:
			return Exact, "says no to all: nonCachedTokens is 0"
		case producer == nil || producer.Type != approxPrefixCacheProducerType:
			return Exact, "says no to all: it only asks a producer named " + approxPrefixCacheProducerType
		}
		return Exact, ""
	}),
	newDecider: func(b *builder, p *plugin) decider {
		return &prefixDecider{p.Parameters.(*pdDeciderParameters), b.optionalMatch(approxPrefixCacheProducerType)}
	},
}

type pdDeciderParameters struct {
	NonCachedTokens int `json:"nonCachedTokens"`
	PromptTokens    int `json:"promptTokens" versions:"router-v0.10.."`
}

func (p *pdDeciderParameters) check(l *loader, path *field.Path) {
	if p.NonCachedTokens < 0 {
		l.add(field.Invalid(path.Child("nonCachedTokens"), p.NonCachedTokens, "must not be negative"))
	}
	if p.NonCachedTokens == 0 {
		l.notice(path.Child("nonCachedTokens"), "non-cached-tokens-zero", "is 0, which means never: all prompts are computed where they are decoded")
	}
	if p.PromptTokens < 0 {
		l.add(field.Invalid(path.Child("promptTokens"), p.PromptTokens, "must not be negative"))
	}
}

type prefixDecider struct {
	*pdDeciderParameters
	match *prefixMatch // nil where there is none
}

func (d *prefixDecider) decide(c *cycle, decode int) Reason {
	switch {
	case d.NonCachedTokens == 0:
		return Disabled
	case c.tokens < max(d.PromptTokens, d.NonCachedTokens):
		return InputTooShort
	case d.match == nil:
		return DeciderError
	case c.tokens-d.match.blocks[decode]*d.match.blockTokens < d.NonCachedTokens:
		return SuffixCached
	default:
		return Disaggregated
	}
}

// treatDecider is for deciders, which do nothing unless a stage that may run
// asks them.
func treatDecider(asked treatment) treatment {
	return func(c *Config, cluster *Cluster, p *plugin) (Treatment, string) {
		if c.stages.prefill == "" || c.stages.decider != p.Name {
			return NoEffect, "no stage that may run asks it"
		}
		return asked(c, cluster, p)
	}
}
