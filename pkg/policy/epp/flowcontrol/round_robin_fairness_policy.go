// SPDX-License-Identifier: Apache-2.0

package flowcontrol

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

const roundRobinFairnessPolicyType = "round-robin-fairness-policy"

// roundRobinFairnessPolicy lets the flows of a band take turns, in order of their
// names. When all are empty, or the last one is forgotten, it begins again with
// the first.
var roundRobinFairnessPolicy = flowFactory{
	PluginType: config.PluginType{
		Name:         roundRobinFairnessPolicyType,
		Registration: version.GIE("scheduler-v0.6.."),
		Roles:        config.FlowControlRole | config.FairnessRole,
		Treatment:    treatFlowControl(config.Exact, ""),
	},
	newFairness: func(*scheduler.Builder, *config.Plugin) fairness { return &roundRobinFairness{last: scheduler.None} },
}

type roundRobinFairness struct {
	// last is the tenant that had its turn; none where it begins again.
	last int
}

func (r *roundRobinFairness) Pick(_ simtime.Time, flows []*flow) *flow {
	next := slices.IndexFunc(flows, func(f *flow) bool { return f.tenant == r.last }) + 1
	for i := range flows {
		if f := flows[(next+i)%len(flows)]; f.head() != nil {
			r.last = f.tenant
			return f
		}
	}
	r.last = scheduler.None
	return nil
}
