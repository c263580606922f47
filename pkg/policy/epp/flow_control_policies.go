// SPDX-License-Identifier: Apache-2.0

package epp

const (
	fcfsOrderingPolicyType         = "fcfs-ordering-policy"
	globalStrictFairnessPolicyType = "global-strict-fairness-policy"
	staticUsageLimitPolicyType     = "static-usage-limit-policy"
)

// The EPP makes these policies whether or not flow control is on.
var (
	fcfsOrderingPolicy = pluginType{
		name:      fcfsOrderingPolicyType,
		roles:     flowControlRole,
		treatment: treatFlowControl,
	}
	globalStrictFairnessPolicy = pluginType{
		name:      globalStrictFairnessPolicyType,
		roles:     flowControlRole,
		treatment: treatFlowControl,
	}
	staticUsageLimitPolicy = pluginType{
		name:       staticUsageLimitPolicyType,
		roles:      flowControlRole,
		parameters: func() any { return &staticUsageLimitParameters{Threshold: 1} },
		treatment:  treatFlowControl,
	}
)

type staticUsageLimitParameters struct {
	// Threshold is the saturation from which requests wait.
	Threshold float64 `json:"threshold"`
}

func treatFlowControl(*loader, *plugin) (Treatment, string) {
	return Ignored, "flow control is off"
}
