// SPDX-License-Identifier: Apache-2.0

package epp

import "slices"

// Up to scheduler-v0.7 scorers of prefixes leave what they found behind for what
// comes after them in the cycle: in the same profile or in the next one.

// leave says that it is the scorer's to read from now on in this cycle, and whether
// anybody holds any of the prompt.
func (m *prefixMatch) leave(c *cycle, held bool) { m.left, m.held = c.number, held }

// isLeft reports whether a scorer has left it behind in this cycle.
func (m *prefixMatch) isLeft(c *cycle) bool { return m != nil && m.left == c.number }

// leftBy is what the scorer of that type and name leaves behind; nil where there is
// none that does.
func (b *builder) leftBy(typeName, name string) *prefixMatch {
	if p := b.plugins[name]; p != nil && p.Type == typeName && b.dialect.leaves(p) {
		return b.prefixMatch(name)
	}
	return nil
}

// leaves reports whether a plugin leaves behind what it found.
func (d *dialect) leaves(p *plugin) bool {
	if _, ok := p.Parameters.(*preciseScorerParameters); ok {
		return d.preciseRules().leaves
	}
	_, ok := estimating(p)
	return ok
}

// leftInProfile is what the last such scorer of a profile leaves behind. In
// gie-v0.5 all of them do so under the same name.
func (b *builder) leftInProfile(name string) *prefixMatch {
	for _, entry := range slices.Backward(b.document.profile(name).Plugins) {
		if p := b.plugins[entry.PluginRef]; b.dialect.leaves(p) {
			return b.prefixMatch(p.Name)
		}
	}
	return nil
}
