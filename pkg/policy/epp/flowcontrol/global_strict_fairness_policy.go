// SPDX-License-Identifier: Apache-2.0

package flowcontrol

import (
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// globalStrictFairnessPolicy lets go first whoever would be first if all flows of
// the band were one. It is the default, which the EPP makes whether or not flow
// control is on.
var globalStrictFairnessPolicy = flowFactory{
	PluginType: config.PluginType{
		Name:         config.GlobalStrictFairnessPolicyType,
		Registration: version.GIE("scheduler-v0.6.."),
		Roles:        config.FlowControlRole | config.FairnessRole,
		Treatment:    treatFlowControl(config.Exact, ""),
	},
	newFairness: func(*scheduler.Builder, *config.Plugin) fairness { return globalStrictFairness{} },
}

type globalStrictFairness struct{}

func (globalStrictFairness) Pick(_ simtime.Time, flows []*flow) *flow {
	var best *flow
	for _, f := range flows {
		head := f.head()
		if head != nil && (best == nil || head.before(best.head())) {
			best = f
		}
	}
	return best
}
