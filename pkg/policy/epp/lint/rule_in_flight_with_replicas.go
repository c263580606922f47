// SPDX-License-Identifier: Apache-2.0

package lint

import "slices"

var inFlightWithReplicas = Rule{
	ID: "in-flight-with-replicas", Severity: Warning,
	Summary: "plugins on the EPP's own counters while several EPPs serve the pool",
	Why:     "Each EPP counts only the requests that it routes. With several EPPs, each counts a fraction of the load, and limits and thresholds are too high by this factor.",
	Fix:     "Run one replica, divide the thresholds by the number of replicas, or share the counters with dataLayer.crossReplicaSyncerPluginRef if the version has it.",
	Source:  "llm-d-router #1842",
	Context: Context{Replicas: 3},
	check: func(p *pass) {
		if p.context.Replicas <= 1 || p.DataLayer.CrossReplicaSyncerPluginRef != "" {
			return
		}
		for _, plugin := range p.Plugins {
			if slices.Contains(inFlightReaders, plugin.Type) && (p.inProfile(plugin) || p.refersTo(plugin)) {
				p.report(plugin.path, "%s counts only the requests of its own EPP: with %d replicas this is a fraction of the load", plugin.Name, p.context.Replicas)
			}
		}
	},
}
