// SPDX-License-Identifier: Apache-2.0

package epp

import "slices"

// Up to scheduler-v0.7 scorers of prefixes leave what they found behind for what
// comes after them in the cycle: in the same profile or in the next one.

// leftBy is what the scorer of that type and name leaves behind; nil where there is
// none that does.
func leftBy(b *builder, typeName, name string) *prefixMatch {
	if p := b.plugins[name]; p != nil && p.Type == typeName && leavesMatch(&b.dialect, p) {
		return b.prefixMatch(name)
	}
	return nil
}

// leaves reports whether a plugin leaves behind what it found.
func leavesMatch(d *dialect, p *plugin) bool {
	if _, ok := p.Parameters.(*preciseScorerParameters); ok {
		return preciseRulesOf(d).leaves
	}
	_, ok := estimating(p)
	return ok
}

// leftInProfile is what the last such scorer of a profile leaves behind. In
// gie-v0.5 all of them do so under the same name.
func leftInProfile(b *builder, name string) *prefixMatch {
	for _, entry := range slices.Backward(b.document.profile(name).Plugins) {
		if p := b.plugins[entry.PluginRef]; leavesMatch(&b.dialect, p) {
			return b.prefixMatch(p.Name)
		}
	}
	return nil
}
