// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

func TestPoliciesHaveNoSayWhileFlowControlIsOff(t *testing.T) {
	c := mustLoad(t, "plugins: [{type: edf-ordering-policy}, {type: slo-deadline-ordering-policy}, {type: round-robin-fairness-policy}, {type: sheddable-eviction-filter}, "+
		"{type: priority-then-time-eviction-order-policy}, {type: soft-reflective-ceiling-policy}, {type: priority-holdback-policy, parameters: {minCeiling: 0.5}}, {type: program-aware-fairness}]")
	for _, r := range c.Report(nil)[:8] {
		if r.Treatment != config.NoEffect || r.Note != "flow control is off" {
			t.Errorf("%s: %s, %q", r.Name, r.Treatment, r.Note)
		}
	}
}

func TestParametersOfFlowControlPolicies(t *testing.T) {
	checkParameterFaults(t, "soft-reflective-ceiling-policy", "{a: 1}", `a: Forbidden: unknown field; there are none`)
	checkParameterFaults(t, "priority-holdback-policy", "{shape: cubic, domain: x, maxCeiling: 1.5}",
		`shape: Unsupported value: "cubic": supported values: "linear"`,
		`domain: Unsupported value: "x": supported values: "rank", "value"`,
		`maxCeiling: Invalid value: 1.5: must be greater than 0 and at most 1`,
		`minCeiling: Required value: must be at least 0 and less than maxCeiling`)
	checkParameterFaults(t, "priority-holdback-policy", "{minCeiling: 0.5, maxCeiling: 0.5}",
		`minCeiling: Invalid value: 0.5: must be at least 0 and less than maxCeiling`)
	checkParameterFaults(t, "program-aware-fairness",
		"{strategy: turn-priority, evictionTtlSeconds: -1, evictionSweepSeconds: 0, lasWeightService: -1, lasWeightHeadWait: -1, lasHalfLifeSeconds: -1}",
		`strategy: Invalid value: "turn-priority": there is las; router-v0.11 has turn-priority`,
		`evictionTtlSeconds: Invalid value: -1: must not be negative`,
		`lasWeightService: Invalid value: -1: must not be negative`,
		`lasWeightHeadWait: Invalid value: -1: must not be negative`,
		`lasHalfLifeSeconds: Invalid value: -1: must not be negative`,
		`evictionSweepSeconds: Invalid value: 0: must be greater than 0`)
}
