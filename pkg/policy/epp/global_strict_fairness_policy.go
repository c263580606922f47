// SPDX-License-Identifier: Apache-2.0

package epp

import "windtunnel.dev/windtunnel/pkg/simtime"

// globalStrictFairnessPolicy lets go first whoever would be first if all flows of
// the band were one. It is the default, which the EPP makes whether or not flow
// control is on.
var globalStrictFairnessPolicy = flowFactory{
	pluginType: pluginType{
		name:         globalStrictFairnessPolicyType,
		registration: gie("scheduler-v0.6.."),
		roles:        flowControlRole | fairnessRole,
		treatment:    treatFlowControl(Exact, ""),
	},
	newFairness: func(*builder, *plugin) fairness { return globalStrictFairness{} },
}

type globalStrictFairness struct{}

func (globalStrictFairness) pick(_ simtime.Time, flows []*flow) *flow {
	var best *flow
	for _, f := range flows {
		head := f.head()
		if head != nil && (best == nil || head.before(best.head())) {
			best = f
		}
	}
	return best
}
