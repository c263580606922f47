// SPDX-License-Identifier: Apache-2.0

package flowcontrol

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

// unnamedTenant is the tenant of requests that name none. For the EPP they carry no header of fairness.
const unnamedTenant = "default"

// flowNumbers numbers flows: those of tenants in order of their names, then those of sessions.
type flowNumbers func(tenant int, session int32) int

// newFlowNumbers numbers the flows of a configuration. A session has a flow of its own where
// an agent-identity names it, its requests name no tenant, and a policy counts turns.
func newFlowNumbers(b *scheduler.Builder) flowNumbers {
	order := tenantOrder(b)
	tenants := func(tenant int, _ int32) int { return order(tenant) }
	if !b.Lists(config.AgentIdentityType) || !countsTurns(b) {
		return tenants
	}
	unnamed := unnamedFlow(b)
	return func(tenant int, session int32) int {
		if flow := order(tenant); flow != unnamed || session == 0 {
			return flow
		}
		return len(b.Tenants) + int(session)
	}
}

// countsTurns reports whether a policy has the strategy turn-priority.
func countsTurns(b *scheduler.Builder) bool {
	return slices.ContainsFunc(b.Document.Plugins, func(p *config.Plugin) bool {
		parameters, ok := p.Parameters.(*ProgramAwareParameters)
		return ok && parameters.Strategy == turnPriority
	})
}

// unnamedFlow is the flow of requests that name no tenant; -1 if there is none.
func unnamedFlow(b *scheduler.Builder) int {
	at := slices.Index(b.Tenants, unnamedTenant)
	if at < 0 {
		return -1
	}
	return tenantOrder(b)(at)
}
