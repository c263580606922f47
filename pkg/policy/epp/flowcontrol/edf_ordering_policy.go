// SPDX-License-Identifier: Apache-2.0

package flowcontrol

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

const edfOrderingPolicyType = "edf-ordering-policy"

// edfOrderingPolicy lets go first who would be given up first, by when it came
// and how long requests may wait. As that is the same for all, it is the order in
// which they came.
var edfOrderingPolicy = flowFactory{
	PluginType: config.PluginType{
		Name:         edfOrderingPolicyType,
		Registration: version.GIE("scheduler-v0.6.."),
		Roles:        config.FlowControlRole | config.OrderingRole,
		Treatment:    treatFlowControl(config.Exact, "all requests have the same TTL, so first come, first served"),
	},
	newOrdering: func(_ *config.Plugin, s *config.FlowSettings) ordering {
		return earliestDeadlineOrdering{s.TTL}
	},
}

// earliestDeadlineOrdering has a TTL of 0 where requests may wait for ever.
type earliestDeadlineOrdering struct{ ttl time.Duration }

func (o earliestDeadlineOrdering) rank(i *flowItem) simtime.Time {
	if o.ttl <= 0 {
		return simtime.Never
	}
	return i.since.Add(o.ttl)
}
