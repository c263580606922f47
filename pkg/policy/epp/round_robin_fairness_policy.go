// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

const roundRobinFairnessPolicyType = "round-robin-fairness-policy"

// roundRobinFairnessPolicy lets the flows of a band take turns, in order of their
// names. When all are empty, or the last one is forgotten, it begins again with
// the first.
var roundRobinFairnessPolicy = flowFactory{
	pluginType: pluginType{
		name:         roundRobinFairnessPolicyType,
		registration: gie("scheduler-v0.6.."),
		roles:        flowControlRole | fairnessRole,
		treatment:    treatFlowControl(Exact, ""),
	},
	newFairness: func(*builder, *plugin) fairness { return &roundRobinFairness{last: none} },
}

type roundRobinFairness struct {
	// last is the tenant that had its turn; none where it begins again.
	last int
}

func (r *roundRobinFairness) pick(_ simtime.Time, flows []*flow) *flow {
	next := slices.IndexFunc(flows, func(f *flow) bool { return f.tenant == r.last }) + 1
	for i := range flows {
		if f := flows[(next+i)%len(flows)]; f.head() != nil {
			r.last = f.tenant
			return f
		}
	}
	r.last = none
	return nil
}
