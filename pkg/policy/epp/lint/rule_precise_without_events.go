// SPDX-License-Identifier: Apache-2.0

package lint

var preciseWithoutEvents = Rule{
	ID: "precise-without-events", Severity: Warning,
	Summary: "a precise prefix plugin that receives no KV events",
	Why:     "Up to scheduler-v0.8 the plugin finds the engines itself. From router-v0.9 on, an endpoint-notification-source must report each engine to it. Otherwise the EPP starts, but the index stays empty and every match is 0: only load decides where requests go.",
	Fix:     "List an endpoint-notification-source, with the precise plugin among its extractors in dataLayer.sources.",
	Source:  "llm-d-router's precise-prefix-cache-producer",
	check: func(p *pass) {
		for _, w := range p.precise {
			if plugin := p.plugin(w.Name); !w.Hears && plugin != nil {
				p.report(plugin.path, "%s receives no events from engines from router-v0.9 on, and matches nothing; write %s", w.Name, wiringOf(w.Name, w.Discovers))
			}
		}
	},
}

// wiringOf says what to write for the plugin of that name.
func wiringOf(name string, discovers bool) string {
	lines := "{type: " + endpointSource + "} under plugins and {pluginRef: " + endpointSource + ", extractors: [{pluginRef: " + name + "}]} under dataLayer.sources"
	if !discovers {
		lines += ", and kvEventsConfig.discoverPods: true"
	}
	return lines
}
