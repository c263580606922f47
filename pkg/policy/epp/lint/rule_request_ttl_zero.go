// SPDX-License-Identifier: Apache-2.0

package lint

import "time"

var requestTTLZero = Rule{
	ID: "request-ttl-zero", Severity: Warning,
	Summary: "flow control with a defaultRequestTTL of 0",
	Why:     "0s means no limit, not the default of 60 s: requests wait in the EPP, and occupy their place in the band, until their client cancels them.",
	Fix:     "Set the time that a request may wait, or delete the field.",
	Source:  "the EPP's flow control",
	check: func(p *pass) {
		ttl := p.written("flowControl", "defaultRequestTTL")
		if ttl == nil || !p.gate("flowControl") {
			return
		}
		if d, err := time.ParseDuration(text(ttl)); err == nil && d == 0 {
			p.report(at("flowControl", "defaultRequestTTL"), "requests never expire in the queue")
		}
	},
}
