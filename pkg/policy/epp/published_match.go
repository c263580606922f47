// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// Up to scheduler-v0.7 scorers of prefixes leave what they found behind for what
// comes after them in the cycle: in the same profile or in the next one.

// leftBy is what the scorer of that type and name leaves behind; nil where there is
// none that does.
func leftBy(b *scheduler.Builder, typeName, name string) *scheduler.PrefixMatch {
	if p := b.Plugins[name]; p != nil && p.Type == typeName && leavesMatch(&b.Dialect, p) {
		return b.PrefixMatch(name)
	}
	return nil
}

// leaves reports whether a plugin leaves behind what it found.
func leavesMatch(d *version.Dialect, p *config.Plugin) bool {
	if _, ok := p.Parameters.(*preciseScorerParameters); ok {
		return preciseRulesOf(d).leaves
	}
	_, ok := estimating(p)
	return ok
}

// leftInProfile is what the last such scorer of a profile leaves behind. In
// gie-v0.5 all of them do so under the same name.
func leftInProfile(b *scheduler.Builder, name string) *scheduler.PrefixMatch {
	for _, entry := range slices.Backward(b.Document.Profile(name).Plugins) {
		if p := b.Plugins[entry.PluginRef]; leavesMatch(&b.Dialect, p) {
			return b.PrefixMatch(p.Name)
		}
	}
	return nil
}
