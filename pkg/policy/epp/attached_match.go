// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// In gie-v1.3 to gie-v1.4, and so in scheduler-v0.5 to scheduler-v0.7, prefix scorers
// look for the prompt before any profile runs and attach what they find to the
// endpoints, in a profile or not. They do so behind the gate prepareDataPlugins only.

// attaches reports whether a plugin does.
func attaches(c *Config, p *plugin) bool {
	if !c.prepares() {
		return false
	}
	switch parameters := p.Parameters.(type) {
	case *legacyPrefixParameters:
		return true
	case *preciseScorerParameters:
		return parameters.SpeculativeIndexing && c.dialect.own == scheduler07
	}
	return false
}

// attaching are the plugins that do.
func attaching(c *Config) []*plugin {
	var all []*plugin
	for _, p := range c.document.Plugins {
		if attaches(c, p) {
			all = append(all, p)
		}
	}
	return all
}

// attachesForReaders reports whether a plugin matters outside of profiles as it attaches
// what another one reads.
func attachesForReaders(c *Config, p *plugin) bool {
	if !attaches(c, p) {
		return false
	}
	decides := c.stages.decider != "" && c.plugin(c.stages.decider).Type == prefixBasedPDDeciderType
	return decides || c.hasType(predictedLatencyScorerType)
}

// severalAttach is about a plugin that reads what is attached, where more than one
// attaches it: they overwrite each other in no particular order.
func severalAttach(c *Config, p *plugin, at *field.Path) field.ErrorList {
	if all := attaching(c); len(all) > 1 {
		return field.ErrorList{field.Invalid(at, p.Name, fmt.Sprintf("%s and %s overwrite what the other one says of prefixes; which of them is heard is not simulated", all[0].Name, all[1].Name))}
	}
	return nil
}

// attached is what is attached to the endpoints, nil where nothing is, and whether
// that is nothing for a prompt without a whole block.
func attachedMatch(b *builder) (match *prefixMatch, wholeBlocks bool) {
	all := attaching(b.config)
	if len(all) == 0 {
		return nil, false
	}
	p := all[0]
	if _, precise := p.Parameters.(*preciseScorerParameters); precise {
		return b.prefixMatch(p.Name), true
	}
	return b.prefixMatch(attachedPrefix), false
}

// treatOldPrefixDecider is how a prefix-based-pd-decider is reproduced up to
// scheduler-v0.7.
func treatOldPrefixDecider(c *Config, cluster *Cluster, p *plugin) (Treatment, string) {
	switch zero := p.Parameters.(*pdDeciderParameters).NonCachedTokens == 0; {
	case zero && c.dialect.own == scheduler06:
		return Exact, "says yes to all: nonCachedTokens is 0"
	case zero:
		return Exact, "says no to all: nonCachedTokens is 0"
	case !c.prepares():
		return Exact, "says no to all: without the gate " + prepareDataPluginsGate + " nothing tells it what endpoints hold"
	case len(attaching(c)) == 0:
		return Exact, "says no to all: no plugin tells it what endpoints hold"
	}
	return Approximated, fmt.Sprintf("a prompt has %v bytes for each of its tokens", cluster.bytesPerToken())
}
