// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

const sloDeadlineOrderingPolicyType = "slo-deadline-ordering-policy"

// sloDeadlineOrderingPolicy lets go first who was promised its first token at the
// earliest: by when it arrived and the TTFT that it states, in whole milliseconds
// (header x-llm-d-slo-ttft-ms). Who states none goes last.
var sloDeadlineOrderingPolicy = flowFactory{
	pluginType: pluginType{
		name:         sloDeadlineOrderingPolicyType,
		registration: gie("gie-v1.5.."),
		roles:        flowControlRole | orderingRole,
		treatment:    treatFlowControl(Exact, ""),
	},
	newOrdering: func(*plugin, *flowSettings) ordering { return statedDeadlineOrdering{} },
}

type statedDeadlineOrdering struct{}

func (statedDeadlineOrdering) rank(i *flowItem) simtime.Time {
	if i.request.TTFT <= 0 {
		return simtime.Never
	}
	return i.request.Arrival.Add(i.request.TTFT.Truncate(time.Millisecond))
}
