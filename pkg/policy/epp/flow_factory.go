// SPDX-License-Identifier: Apache-2.0

package epp

// A flowFactory is a type of policy of flow control: for each of its roles it makes
// the policy.
type flowFactory struct {
	pluginType

	newOrdering func(p *plugin, s *flowSettings) ordering
	newFairness func(b *builder, p *plugin) fairness
	newLimit    func(p *plugin) usageLimit
}

// flowFactories are the policies.
var flowFactories = []*flowFactory{
	&fcfsOrderingPolicy, &edfOrderingPolicy, &sloDeadlineOrderingPolicy, &globalStrictFairnessPolicy,
	&roundRobinFairnessPolicy, &programAwareFairness, &staticUsageLimitPolicy, &priorityHoldback,
	&softReflectiveCeiling,
}

// flowTypes are all types of flow control, those that have no policy too.
func flowTypes() registry {
	all := registry{&sheddableEvictionFilter, &priorityThenTimeOrder}
	for _, f := range flowFactories {
		all = append(all, &f.pluginType)
	}
	return all
}

// flowFactoryOf returns the factory of an instance, which is a policy.
func flowFactoryOf(p *plugin) *flowFactory {
	for _, f := range flowFactories {
		if &f.pluginType == p.kind {
			return f
		}
	}
	panic("epp: " + p.Type + " is no policy of flow control")
}
