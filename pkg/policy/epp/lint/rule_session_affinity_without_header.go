// SPDX-License-Identifier: Apache-2.0

package lint

var sessionAffinityWithoutHeader = Rule{
	ID: "session-affinity-without-header", Severity: Info,
	Summary:   "session affinity that relies on a default header",
	Why:       "Sessions are told by a header that the client must send: by default x-session-token, which it must take from the EPP's answer and send back, or x-session-id. Without it no request has a session and the plugin does nothing.",
	Fix:       "Write the header that your clients send: encodedEndpointHeaderConfig.header, or sessionIdConfig.sources with strategy session_id.",
	Source:    "llm-d-router's session affinity",
	Alongside: []string{"alpha-plugin"},
	check: func(p *pass) {
		for _, plugin := range p.ofType("session-affinity-scorer", "session-affinity-filter") {
			if plugin.says("headerName") || child(plugin.given, "encodedEndpointHeaderConfig", "header") != nil || child(plugin.given, "sessionIdConfig", "sources") != nil {
				continue
			}
			p.report(plugin.path, "%s goes by a default header; clients that do not send it have no sessions", plugin.Name)
		}
	},
}
