// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// Up to scheduler-v0.7 prefix scorers publish their match to the plugins that run after
// them in the cycle: in the same profile or in the next one.

// publishedBy is the match that the scorer of that type and name publishes, or nil where it
// publishes none.
func publishedBy(b *scheduler.Builder, typeName, name string) *scheduler.PrefixMatch {
	if p := b.Plugins[name]; p != nil && p.Type == typeName && publishesMatch(&b.Dialect, p) {
		return b.PrefixMatch(name)
	}
	return nil
}

// publishesMatch reports whether a plugin publishes its match.
func publishesMatch(d *version.Dialect, p *config.Plugin) bool {
	if _, ok := p.Parameters.(*preciseScorerParameters); ok {
		return preciseRulesOf(d).publishes
	}
	_, ok := estimating(p)
	return ok
}

// publishedInProfile is the match of the last publishing scorer of a profile. In gie-v0.5
// all of them publish under the same name.
func publishedInProfile(b *scheduler.Builder, name string) *scheduler.PrefixMatch {
	for _, entry := range slices.Backward(b.Document.Profile(name).Plugins) {
		if p := b.Plugins[entry.PluginRef]; publishesMatch(&b.Dialect, p) {
			return b.PrefixMatch(p.Name)
		}
	}
	return nil
}
