// SPDX-License-Identifier: Apache-2.0

package lint

import "slices"

var prefixBehindPassthrough = Rule{
	ID: "prefix-behind-passthrough", Severity: Warning,
	Summary: "plugins on prefixes behind passthrough-parser",
	Why:     "passthrough-parser accepts whatever it is given and reads no body, so parsers behind it are never asked: the EPP sees no prompt, and every match is 0.",
	Fix:     "List passthrough-parser last, or leave it out.",
	Source:  "the EPP's parsers",
	check: func(p *pass) {
		parsers, place := p.RequestHandler.Parsers, at("requestHandler", "parsers")
		if len(parsers) == 0 {
			parsers, place = []reference{p.Parser}, at("parser")
		}
		first := p.plugin(parsers[0].PluginRef)
		if first == nil || first.Type != "passthrough-parser" {
			return
		}
		for _, plugin := range p.Plugins {
			if slices.Contains(prefixReaders, plugin.Type) {
				p.report(place, "%s is asked first and hides prompts: %s has nothing to match", first.Name, plugin.Name)
				return
			}
		}
	},
}
