// SPDX-License-Identifier: Apache-2.0

package lint

import "slices"

var flowControlWithoutGate = Rule{
	ID: "flow-control-without-gate", Severity: Warning,
	Summary: "a flowControl section while the gate flowControl is off",
	Why:     "Without the gate the EPP ignores the section except saturationDetector, and reports it only in its log: there are no queues, no bands and no TTL.",
	Fix:     "Add flowControl to featureGates, or delete the section.",
	Source:  "the EPP's loader",
	check: func(p *pass) {
		section := p.written("flowControl")
		if section == nil || p.gate("flowControl") {
			return
		}
		ignored := keys(section)
		ignored = slices.DeleteFunc(ignored, func(k string) bool { return k == "saturationDetector" })
		if len(ignored) > 0 {
			p.report(at("flowControl"), "%s: ignored because the feature gate flowControl is off", list(ignored))
		}
	},
}
