// SPDX-License-Identifier: Apache-2.0

package flowcontrol

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

const sloDeadlineOrderingPolicyType = "slo-deadline-ordering-policy"

// sloDeadlineOrderingPolicy lets go first who was promised its first token at the
// earliest: by when it arrived and the TTFT that it states, in whole milliseconds
// (header x-llm-d-slo-ttft-ms). Who states none goes last.
var sloDeadlineOrderingPolicy = flowFactory{
	PluginType: config.PluginType{
		Name:         sloDeadlineOrderingPolicyType,
		Registration: version.GIE("gie-v1.5.."),
		Roles:        config.FlowControlRole | config.OrderingRole,
		Treatment:    treatFlowControl(config.Exact, ""),
	},
	newOrdering: func(*config.Plugin, *config.FlowSettings) ordering { return statedDeadlineOrdering{} },
}

type statedDeadlineOrdering struct{}

func (statedDeadlineOrdering) rank(i *flowItem) simtime.Time {
	if i.request.TTFT <= 0 {
		return simtime.Never
	}
	return i.request.Arrival.Add(i.request.TTFT.Truncate(time.Millisecond))
}
