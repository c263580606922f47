// SPDX-License-Identifier: Apache-2.0

package epp

// staticUsageLimitPolicy has one ceiling for all priorities. It is the default,
// which the EPP makes whether or not flow control is on.
var staticUsageLimitPolicy = flowFactory{
	pluginType: pluginType{
		name:         staticUsageLimitPolicyType,
		registration: gie("gie-v1.5.."),
		roles:        flowControlRole | usageLimitRole,
		parameters:   func() any { return &staticUsageLimitParameters{Threshold: 1} },
		treatment:    treatFlowControl(Exact, ""),
	},
	newLimit: func(p *plugin) usageLimit {
		return staticUsageLimit{p.Parameters.(*staticUsageLimitParameters).Threshold}
	},
}

type staticUsageLimitParameters struct {
	// Threshold is the saturation from which requests wait.
	Threshold float64 `json:"threshold"`
}

type staticUsageLimit struct{ threshold float64 }

func (l staticUsageLimit) limit(_ float64, _ []int, ceilings []float64) {
	for i := range ceilings {
		ceilings[i] = l.threshold
	}
}
