// SPDX-License-Identifier: Apache-2.0

package epp

// The EPP's eviction has its own filter and order, whether or not plugins of
// these types are listed.
var (
	// sheddableEvictionFilter says which requests may be evicted: those of negative
	// priority.
	sheddableEvictionFilter = evictionPolicy("sheddable-eviction-filter").registered(gie("router-v0.10.."))
	// priorityThenTimeOrder says in which order: the lowest priority first, and of
	// one priority the youngest.
	priorityThenTimeOrder = evictionPolicy("priority-then-time-eviction-order-policy").registered(gie("router-v0.10.."))
)

func evictionPolicy(name string) pluginType {
	return pluginType{
		name: name, roles: flowControlRole, alpha: true,
		treatment: func(c *Config, _ *Cluster, _ *plugin) (Treatment, string) {
			if !c.flowControlled() {
				return NoEffect, flowControlOff
			}
			return NoEffect, "the EPP evicts by its own filter and order, which are these, where enableEviction is true"
		},
	}
}
