// SPDX-License-Identifier: Apache-2.0

package flowcontrol

import (
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

// A flowFactory is a type of policy of flow control: for each of its roles it makes
// the policy.
type flowFactory struct {
	config.PluginType

	newOrdering func(p *config.Plugin, s *config.FlowSettings) ordering
	newFairness func(b *scheduler.Builder, p *config.Plugin) fairness
	newLimit    func(p *config.Plugin) usageLimit
}

// flowFactories are the policies.
var flowFactories = []*flowFactory{
	&fcfsOrderingPolicy, &edfOrderingPolicy, &sloDeadlineOrderingPolicy, &globalStrictFairnessPolicy,
	&roundRobinFairnessPolicy, &programAwareFairness, &staticUsageLimitPolicy, &priorityHoldback,
	&softReflectiveCeiling,
}

// Types are all types of flow control, those that have no policy too.
func Types() config.Registry {
	all := config.Registry{&sheddableEvictionFilter, &priorityThenTimeOrder}
	for _, f := range flowFactories {
		all = append(all, &f.PluginType)
	}
	return all
}

// flowFactoryOf returns the factory of an instance, which is a policy.
func flowFactoryOf(p *config.Plugin) *flowFactory {
	for _, f := range flowFactories {
		if &f.PluginType == p.Kind {
			return f
		}
	}
	panic("epp: " + p.Type + " is no policy of flow control")
}
