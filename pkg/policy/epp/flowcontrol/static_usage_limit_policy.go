// SPDX-License-Identifier: Apache-2.0

package flowcontrol

import (
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// staticUsageLimitPolicy has one ceiling for all priorities. It is the default,
// which the EPP makes whether or not flow control is on.
var staticUsageLimitPolicy = flowFactory{
	PluginType: config.PluginType{
		Name:         config.StaticUsageLimitPolicyType,
		Registration: version.GIE("gie-v1.5.."),
		Roles:        config.FlowControlRole | config.UsageLimitRole,
		Parameters:   func() any { return &staticUsageLimitParameters{Threshold: 1} },
		Treatment:    treatFlowControl(config.Exact, ""),
	},
	newLimit: func(p *config.Plugin) usageLimit {
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
