// SPDX-License-Identifier: Apache-2.0

package lint

import "slices"

var prefixBehindPassthrough = Rule{
	ID: "prefix-behind-passthrough", Severity: Warning,
	Summary: "prefix plugins with passthrough-parser before other parsers",
	Why:     "passthrough-parser accepts every request and reads no body, so the parsers after it never run: the EPP has no prompt, and every match is 0.",
	Fix:     "List passthrough-parser last, or delete it.",
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
				p.report(place, "%s runs first and hides prompts: %s has nothing to match", first.Name, plugin.Name)
				return
			}
		}
	},
}
