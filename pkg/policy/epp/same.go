// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"bytes"
	"cmp"
	"slices"
)

// Same reports whether two configurations are for one version and decide alike:
// they are equal but for the order of plugins that are only ever reached by name
// or by role, one at a time. Those that the loader makes come after the
// document's, so that listing one of them moves it.
func (c *Config) Same(other *Config) bool {
	return c.dialect == other.dialect && bytes.Equal(c.canonical(), other.canonical())
}

// canonical is the document with the plugins whose order is heeded first.
func (c *Config) canonical() []byte {
	d := c.document
	d.Plugins = nil
	var free []*plugin
	for _, p := range c.document.Plugins {
		switch {
		case p.implied:
		case p.inOrder():
			d.Plugins = append(d.Plugins, p)
		default:
			free = append(free, p)
		}
	}
	slices.SortFunc(free, func(a, b *plugin) int { return cmp.Compare(a.Name, b.Name) })
	d.Plugins = append(d.Plugins, free...)
	return encode(d, c.dialect)
}

// inOrder reports whether it matters before or after which others a plugin is
// listed: whether it takes part in a request beside others of its kind, or leaves
// data behind.
func (p *plugin) inOrder() bool {
	const alone = pickerRole | profileHandlerRole | parserRole | saturationDetectorRole | dataSourceRole | extractorRole |
		flowControlRole | discoveryRole | orderingRole | fairnessRole | usageLimitRole
	aside := p.kind.roles
	if aside&saturationDetectorRole != 0 {
		aside &^= filterRole // Filters run in the order of their profile.
	}
	return aside&^alone != 0
}
