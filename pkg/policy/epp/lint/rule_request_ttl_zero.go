// SPDX-License-Identifier: Apache-2.0

package lint

import "time"

var requestTTLZero = Rule{
	ID: "request-ttl-zero", Severity: Warning,
	Summary: "flow control with a defaultRequestTTL of 0",
	Why:     "0s does not mean the default of 60 s but no limit: requests wait in the EPP until their client gives up, and hold their place in the band.",
	Fix:     "Write how long a request may wait, or leave it out.",
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
