// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// In gie-v1.3 to gie-v1.4, and so in scheduler-v0.5 to scheduler-v0.7, prefix scorers
// look for the prompt before any profile runs and attach what they find to the
// endpoints, in a profile or not. They do so behind the gate prepareDataPlugins only.

// attachesMatch reports whether a plugin attaches its match to the endpoints.
func attachesMatch(c *config.Config, p *config.Plugin) bool {
	if !c.Prepares() {
		return false
	}
	switch parameters := p.Parameters.(type) {
	case *legacyPrefixParameters:
		return true
	case *preciseScorerParameters:
		return parameters.SpeculativeIndexing && c.Dialect.Own == version.Scheduler07
	}
	return false
}

// attachingPlugins are the plugins that attach their match.
func attachingPlugins(c *config.Config) []*config.Plugin {
	var all []*config.Plugin
	for _, p := range c.Document.Plugins {
		if attachesMatch(c, p) {
			all = append(all, p)
		}
	}
	return all
}

// attachesForReaders reports whether a plugin matters outside of profiles as it attaches
// what another one reads.
func attachesForReaders(c *config.Config, p *config.Plugin) bool {
	if !attachesMatch(c, p) {
		return false
	}
	decides := c.Stages.Decider != "" && c.Plugin(c.Stages.Decider).Type == prefixBasedPDDeciderType
	return decides || c.HasType(predictedLatencyScorerType)
}

// checkSeveralAttach rejects a plugin that reads the attached match, where several plugins
// attach one: they overwrite each other in no defined order.
func checkSeveralAttach(c *config.Config, p *config.Plugin, at *field.Path) field.ErrorList {
	if all := attachingPlugins(c); len(all) > 1 {
		return field.ErrorList{field.Invalid(at, p.Name, fmt.Sprintf("%s and %s overwrite each other's prefix matches, in an order that is not defined", all[0].Name, all[1].Name))}
	}
	return nil
}

// attachedMatch is the match that is attached to the endpoints, nil where none is, and whether
// it is empty for a prompt without a whole block.
func attachedMatch(b *scheduler.Builder) (match *scheduler.PrefixMatch, wholeBlocks bool) {
	all := attachingPlugins(b.Config)
	if len(all) == 0 {
		return nil, false
	}
	p := all[0]
	if _, precise := p.Parameters.(*preciseScorerParameters); precise {
		return b.PrefixMatch(p.Name), true
	}
	return b.PrefixMatch(attachedPrefix), false
}

// treatOldPrefixDecider is how a prefix-based-pd-decider is reproduced up to
// scheduler-v0.7.
func treatOldPrefixDecider(c *config.Config, cluster *config.Cluster, p *config.Plugin) (config.Treatment, string) {
	switch zero := p.Parameters.(*pdDeciderParameters).NonCachedTokens == 0; {
	case zero && c.Dialect.Own == version.Scheduler06:
		return config.Exact, "says yes to all: nonCachedTokens is 0"
	case zero:
		return config.Exact, "says no to all: nonCachedTokens is 0"
	case !c.Prepares():
		return config.Exact, "says no to all: without the gate " + config.PrepareDataPluginsGate + " no plugin reports the prefixes of endpoints to it"
	case len(attachingPlugins(c)) == 0:
		return config.Exact, "says no to all: no plugin reports the prefixes of endpoints to it"
	}
	return config.Approximated, fmt.Sprintf("a prompt has %v bytes for each of its tokens", cluster.TokenBytes())
}
