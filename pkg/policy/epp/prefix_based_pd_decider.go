// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

const prefixBasedPDDeciderType = "prefix-based-pd-decider"

// prefixBasedPDDecider has a prompt computed elsewhere where it has promptTokens
// or more and of it nonCachedTokens or more that the decode endpoint is not
// believed to hold. With nonCachedTokens 0 it never does. It only asks the
// producer named approx-prefix-cache-producer, and never does without it. Before
// router-v0.9 a prompt is as long as a quarter of its bytes, and the producer's
// name does not matter.
//
// Up to scheduler-v0.7 it asks what prefix scorers attach to endpoints, which they do
// behind the gate prepareDataPlugins only: see [Config.attaches]. In scheduler-v0.6
// nonCachedTokens 0 is always.
var prefixBasedPDDecider = factory{
	pluginType: pluginType{
		name:         prefixBasedPDDeciderType,
		registration: llmd("scheduler-v0.6.."),
		roles:        deciderRole,
		parameters:   func() any { return &pdDeciderParameters{} },
		treatment: treatDecider(func(c *Config, cluster *Cluster, p *plugin) (Treatment, string) {
			switch producer := c.plugin(approxPrefixCacheProducerType); {
			case c.dialect.framework < gie15:
				return treatOldPrefixDecider(c, cluster, p)
			case c.dialect.framework < router09:
				return Approximated, fmt.Sprintf("a prompt has %v bytes for each of its tokens", cluster.bytesPerToken())
			case p.Parameters.(*pdDeciderParameters).NonCachedTokens == 0:
				return Exact, "says no to all: nonCachedTokens is 0"
			case producer == nil || producer.Type != approxPrefixCacheProducerType:
				return Exact, "says no to all: it only asks a producer named " + approxPrefixCacheProducerType
			}
			return Exact, ""
		}),
		obstacles: func(c *Config, _ *Cluster, p *plugin, at *field.Path) field.ErrorList {
			return append(severalTell(c, p, at), severalAttach(c, p, at)...)
		},
	},
	newDecider: func(b *builder, p *plugin) decider {
		d := &prefixDecider{
			pdDeciderParameters: p.Parameters.(*pdDeciderParameters),
			match:               optionalMatch(b, approxPrefixCacheProducerType),
			ratio:               b.oldTokenRatio(),
			always:              p.Parameters.(*pdDeciderParameters).NonCachedTokens == 0 && b.dialect.own == scheduler06,
		}
		switch at := b.dialect.framework; {
		case at < gie15:
			d.match, d.wholeBlocks = attachedMatch(b)
		case at < router09 && b.lists(approxPrefixCacheProducerType):
			d.match = b.prefixMatch(approxPrefixCacheProducerType)
		case at < router09:
			d.match, d.wholeBlocks = toldMatch(b), true
		}
		return d
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
	if p.NonCachedTokens == 0 && l.clock > scheduler06 {
		l.notice(path.Child("nonCachedTokens"), "non-cached-tokens-zero", "is 0, which means never: all prompts are computed where they are decoded")
	}
	if p.PromptTokens < 0 {
		l.add(field.Invalid(path.Child("promptTokens"), p.PromptTokens, "must not be negative"))
	}
}

type prefixDecider struct {
	*pdDeciderParameters
	match *prefixMatch // nil where there is none
	// ratio is how many tokens one is taken for: see [oldTokens].
	ratio float64
	// always is whether it says yes to all, wholeBlocks whether nothing is known
	// where no block was looked for, as of a prompt that is shorter than one.
	always, wholeBlocks bool
}

func (d *prefixDecider) decide(c *cycle, decode int) Reason {
	switch tokens := oldTokens(c.tokens, d.ratio); {
	case d.always:
		return Disaggregated
	case d.NonCachedTokens == 0:
		return Disabled
	case tokens < max(d.PromptTokens, d.NonCachedTokens):
		return InputTooShort
	case d.match == nil || d.wholeBlocks && d.match.totalBlocks == 0:
		return DeciderError
	case tokens-d.match.blocks[decode]*d.match.blockTokens < d.NonCachedTokens:
		return SuffixCached
	default:
		return Disaggregated
	}
}

// treatDecider is for deciders, which do nothing unless a stage that may run
// asks them.
func treatDecider(asked treatmentFunc) treatmentFunc {
	return func(c *Config, cluster *Cluster, p *plugin) (Treatment, string) {
		if c.stages.prefill == "" || c.stages.decider != p.Name {
			return NoEffect, "no stage that may run asks it"
		}
		return asked(c, cluster, p)
	}
}
