// SPDX-License-Identifier: Apache-2.0

package lint

var sessionsWithReplicas = Rule{
	ID: "sessions-with-replicas", Severity: Warning,
	Summary:   "tables of sessions while several EPPs serve the pool",
	Why:       "With strategy session_id each EPP remembers the sessions that it routed itself. A request of a session that comes to another EPP is bound to another endpoint there, so a session has up to as many endpoints as there are EPPs.",
	Fix:       "Run one replica, or use strategy encoded_endpoint_header: the client then sends the endpoint back, and each EPP can read it.",
	Source:    "the EPP's session affinity",
	AlsoFinds: []string{"alpha-plugin"},
	Context:   Context{Replicas: 3},
	check: func(p *pass) {
		if p.context.Replicas <= 1 {
			return
		}
		for _, plugin := range p.ofType("session-affinity-scorer", "session-affinity-filter") {
			if plugin.stringValue("strategy") == "session_id" && p.inProfile(plugin) {
				p.report(plugin.parameter("strategy"), "%s remembers sessions in its own EPP: with %d replicas a session may have %d endpoints", plugin.Name, p.context.Replicas, p.context.Replicas)
			}
		}
	},
}
