// SPDX-License-Identifier: Apache-2.0

package lint

import "slices"

var flowControlWithoutGate = Rule{
	ID: "flow-control-without-gate", Severity: Warning,
	Summary: "a flowControl section while the gate flowControl is off",
	Why:     "Without its gate the EPP ignores the whole section, saturationDetector excepted, and says so in one line of its log: no queues, no bands, no TTL.",
	Fix:     "Add flowControl to featureGates, or drop the section.",
	Source:  "the EPP's loader",
	check: func(p *pass) {
		section := p.written("flowControl")
		if section == nil || p.gate("flowControl") {
			return
		}
		ignored := keys(section)
		ignored = slices.DeleteFunc(ignored, func(k string) bool { return k == "saturationDetector" })
		if len(ignored) > 0 {
			p.report(at("flowControl"), "%s: ignored, since the feature gate flowControl is off", list(ignored))
		}
	},
}
