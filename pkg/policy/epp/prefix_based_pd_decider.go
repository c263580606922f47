// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
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
// behind the gate prepareDataPlugins only: see [Config.attachesMatch]. In scheduler-v0.6
// nonCachedTokens 0 is always.
var prefixBasedPDDecider = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         prefixBasedPDDeciderType,
		Registration: version.LLMD("scheduler-v0.6.."),
		Roles:        config.DeciderRole,
		Parameters:   func() any { return &pdDeciderParameters{} },
		Treatment: treatDecider(func(c *config.Config, cluster *config.Cluster, p *config.Plugin) (config.Treatment, string) {
			switch producer := c.Plugin(config.ApproxPrefixCacheProducerType); {
			case c.Dialect.Framework < version.GIE15:
				return treatOldPrefixDecider(c, cluster, p)
			case c.Dialect.Framework < version.Router09:
				return config.Approximated, fmt.Sprintf("a prompt has %v bytes for each of its tokens", cluster.TokenBytes())
			case p.Parameters.(*pdDeciderParameters).NonCachedTokens == 0:
				return config.Exact, "says no to all: nonCachedTokens is 0"
			case producer == nil || producer.Type != config.ApproxPrefixCacheProducerType:
				return config.Exact, "says no to all: it only asks a producer named " + config.ApproxPrefixCacheProducerType
			}
			return config.Exact, ""
		}),
		Obstacles: func(c *config.Config, _ *config.Cluster, p *config.Plugin, at *field.Path) field.ErrorList {
			return append(checkSeveralWriters(c, p, at), checkSeveralAttach(c, p, at)...)
		},
	},
	NewDecider: func(b *scheduler.Builder, p *config.Plugin) scheduler.Decider {
		d := &prefixDecider{
			pdDeciderParameters: p.Parameters.(*pdDeciderParameters),
			match:               optionalMatch(b, config.ApproxPrefixCacheProducerType),
			ratio:               b.TokenRatio(),
			always:              p.Parameters.(*pdDeciderParameters).NonCachedTokens == 0 && b.Dialect.Own == version.Scheduler06,
		}
		switch at := b.Dialect.Framework; {
		case at < version.GIE15:
			d.match, d.wholeBlocks = attachedMatch(b)
		case at < version.Router09 && b.Lists(config.ApproxPrefixCacheProducerType):
			d.match = b.PrefixMatch(config.ApproxPrefixCacheProducerType)
		case at < version.Router09:
			d.match, d.wholeBlocks = sharedMatch(b), true
		}
		return d
	},
}

type pdDeciderParameters struct {
	NonCachedTokens int `json:"nonCachedTokens"`
	PromptTokens    int `json:"promptTokens" versions:"router-v0.10.."`
}

func (p *pdDeciderParameters) Check(l *config.Loader, path *field.Path) {
	if p.NonCachedTokens < 0 {
		l.Add(field.Invalid(path.Child("nonCachedTokens"), p.NonCachedTokens, "must not be negative"))
	}
	if p.NonCachedTokens == 0 && l.Clock > version.Scheduler06 {
		l.Notice(path.Child("nonCachedTokens"), "non-cached-tokens-zero", "is 0, which means never: all prompts are computed where they are decoded")
	}
	if p.PromptTokens < 0 {
		l.Add(field.Invalid(path.Child("promptTokens"), p.PromptTokens, "must not be negative"))
	}
}

type prefixDecider struct {
	*pdDeciderParameters
	match *scheduler.PrefixMatch // nil without a prefix match
	// ratio is how many tokens one is taken for: see [scheduler.TokensFromBytes].
	ratio float64
	// always is whether it says yes to all, wholeBlocks whether nothing is known
	// where no block was looked for, as of a prompt that is shorter than one.
	always, wholeBlocks bool
}

func (d *prefixDecider) Decide(c *scheduler.Cycle, decode int) scheduler.Reason {
	switch tokens := scheduler.TokensFromBytes(c.Tokens, d.ratio); {
	case d.always:
		return scheduler.Disaggregated
	case d.NonCachedTokens == 0:
		return scheduler.Disabled
	case tokens < max(d.PromptTokens, d.NonCachedTokens):
		return scheduler.InputTooShort
	case d.match == nil || d.wholeBlocks && d.match.TotalBlocks == 0:
		return scheduler.DeciderError
	case tokens-d.match.Blocks[decode]*d.match.BlockTokens < d.NonCachedTokens:
		return scheduler.SuffixCached
	default:
		return scheduler.Disaggregated
	}
}

// treatDecider is for deciders, which do nothing unless a stage that may run
// asks them.
func treatDecider(asked config.TreatmentFunc) config.TreatmentFunc {
	return func(c *config.Config, cluster *config.Cluster, p *config.Plugin) (config.Treatment, string) {
		if c.Stages.Prefill == "" || c.Stages.Decider != p.Name {
			return config.NoEffect, "no stage that may run asks it"
		}
		return asked(c, cluster, p)
	}
}
