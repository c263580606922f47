// SPDX-License-Identifier: Apache-2.0

package flowcontrol

import (
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// The EPP's eviction has its own filter and order, whether or not plugins of
// these types are listed.
var (
	// sheddableEvictionFilter says which requests may be evicted: those of negative
	// priority.
	sheddableEvictionFilter = evictionPolicy("sheddable-eviction-filter").Registered(version.GIE("router-v0.10.."))
	// priorityThenTimeOrder says in which order: the lowest priority first, and of
	// one priority the youngest.
	priorityThenTimeOrder = evictionPolicy("priority-then-time-eviction-order-policy").Registered(version.GIE("router-v0.10.."))
)

func evictionPolicy(name string) config.PluginType {
	return config.PluginType{
		Name: name, Roles: config.FlowControlRole, Alpha: true,
		Treatment: func(c *config.Config, _ *config.Cluster, _ *config.Plugin) (config.Treatment, string) {
			if !c.FlowControlled() {
				return config.NoEffect, Off
			}
			return config.NoEffect, "the EPP evicts by its own filter and order, which are these, where enableEviction is true"
		},
	}
}
