// SPDX-License-Identifier: Apache-2.0

package lint

var sessionAffinityWithoutHeader = Rule{
	ID: "session-affinity-without-header", Severity: Info,
	Summary:   "session affinity with the default header",
	Why:       "A header that the client sends identifies the session. By default it is x-session-token, which the client must copy from the EPP's answer, or x-session-id. Without the header no request has a session, and the plugin has no effect.",
	Fix:       "Set the header that your clients send: encodedEndpointHeaderConfig.header, or sessionIdConfig.sources with strategy session_id.",
	Source:    "llm-d-router's session affinity",
	AlsoFinds: []string{"alpha-plugin"},
	check: func(p *pass) {
		for _, plugin := range p.ofType("session-affinity-scorer", "session-affinity-filter") {
			if plugin.isSet("headerName") || child(plugin.given, "encodedEndpointHeaderConfig", "header") != nil || child(plugin.given, "sessionIdConfig", "sources") != nil {
				continue
			}
			p.report(plugin.path, "%s uses the default header; clients that do not send it have no sessions", plugin.Name)
		}
	},
}
