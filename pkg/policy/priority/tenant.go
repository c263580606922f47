// SPDX-License-Identifier: Apache-2.0

package priority

import "windtunnel.dev/windtunnel/pkg/policy"

// tenant gives each tenant a priority.
type tenant []int

func readTenant(l *loader) func() policy.Priority {
	otherwise := l.Integer("value", 0, "the priority of tenants without one of their own")
	t := tenant(l.IntegersOf("value", "tenant", l.world.Tenants, otherwise, "the priority of one tenant"))
	return func() policy.Priority { return t }
}

func (t tenant) Prioritize(_ *policy.View, request *policy.Request) (int, policy.Hints) {
	return t[request.Tenant], policy.Hints{}
}
