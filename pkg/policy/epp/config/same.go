// SPDX-License-Identifier: Apache-2.0

package config

import (
	"bytes"
	"cmp"
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/epp/document"
)

// Same reports whether two configurations are for one version and decide alike:
// they are equal but for the order of plugins that are only ever reached by name
// or by role, one at a time. Those that the loader makes come after the
// document's, so that listing one of them moves it.
func (c *Config) Same(other *Config) bool {
	return c.Dialect == other.Dialect && bytes.Equal(c.canonical(), other.canonical())
}

// canonical is the document with the plugins whose order is heeded first.
func (c *Config) canonical() []byte {
	d := c.Document
	d.Plugins = nil
	var free []*Plugin
	for _, p := range c.Document.Plugins {
		switch {
		case p.implied:
		case p.inOrder():
			d.Plugins = append(d.Plugins, p)
		default:
			free = append(free, p)
		}
	}
	slices.SortFunc(free, func(a, b *Plugin) int { return cmp.Compare(a.Name, b.Name) })
	d.Plugins = append(d.Plugins, free...)
	return document.Encode(d, c.Dialect)
}

// inOrder reports whether it matters before or after which others a plugin is
// listed: whether it takes part in a request with others of its kind, or leaves
// data behind.
func (p *Plugin) inOrder() bool {
	const alone = PickerRole | ProfileHandlerRole | ParserRole | SaturationDetectorRole | DataSourceRole | ExtractorRole |
		FlowControlRole | DiscoveryRole | OrderingRole | FairnessRole | UsageLimitRole
	aside := p.Kind.Roles
	if aside&SaturationDetectorRole != 0 {
		aside &^= FilterRole // Filters run in the order of their profile.
	}
	return aside&^alone != 0
}
