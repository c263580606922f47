// SPDX-License-Identifier: Apache-2.0

package lint

import "strings"

var strategyUnread = Rule{
	ID: "strategy-unread", Severity: Warning, Version: "router-v0.11",
	Summary: "a parameter of a strategy of program-aware-fairness that is not the chosen one",
	Why:     "Each strategy reads its own parameters: las those whose names begin with las, and turn-priority those whose names begin with turnPriority. The others have no effect. Without strategy it is las.",
	Fix:     "Set strategy to the one that the parameter is of, or delete the parameter.",
	Source:  "llm-d-router's program-aware-fairness",
	check: func(p *pass) {
		prefixes := map[string]string{"las": "turnPriority", "turn-priority": "las"}
		for _, fairness := range p.ofType("program-aware-fairness") {
			strategy := fairness.stringValue("strategy")
			unread, known := prefixes[strategy]
			for _, name := range []string{"lasWeightService", "lasWeightHeadWait", "lasHalfLifeSeconds", "turnPriorityTimeWeight", "turnPriorityInactivitySeconds"} {
				if known && fairness.isSet(name) && strings.HasPrefix(name, unread) {
					p.report(fairness.parameter(name), "%s: strategy %s does not read %s", fairness.Name, strategy, name)
				}
			}
		}
	},
}
