// SPDX-License-Identifier: Apache-2.0

package epp

import "windtunnel.dev/windtunnel/pkg/simtime"

// fcfsOrderingPolicy lets go first who came first. It is the default, which the
// EPP makes whether or not flow control is on.
var fcfsOrderingPolicy = flowFactory{
	pluginType: pluginType{
		name:         fcfsOrderingPolicyType,
		registration: gie("scheduler-v0.6.."),
		roles:        flowControlRole | orderingRole,
		treatment:    treatFlowControl(Exact, ""),
	},
	newOrdering: func(*plugin, *flowSettings) ordering { return firstComeOrdering{} },
}

type firstComeOrdering struct{}

func (firstComeOrdering) rank(i *flowItem) simtime.Time { return i.since }
