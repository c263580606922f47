// SPDX-License-Identifier: Apache-2.0

package flowcontrol

import (
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// fcfsOrderingPolicy dispatches requests in the order of their arrival. It is the default,
// which the EPP makes whether or not flow control is on.
var fcfsOrderingPolicy = flowFactory{
	PluginType: config.PluginType{
		Name:         config.FCFSOrderingPolicyType,
		Registration: version.GIE("scheduler-v0.6.."),
		Roles:        config.FlowControlRole | config.OrderingRole,
		Treatment:    treatFlowControl(config.Exact, ""),
	},
	newOrdering: func(*config.Plugin, *config.FlowSettings) ordering { return firstComeOrdering{} },
}

type firstComeOrdering struct{}

func (firstComeOrdering) rank(i *flowItem) simtime.Time { return i.since }
