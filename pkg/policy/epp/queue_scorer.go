// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const queueScorerType = "queue-scorer"

// queueScorer prefers short queues: (max − q) / (max − min) over the
// candidates, q being the scraped number of waiting requests; 1 for all if all
// are equal.
var queueScorer = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         queueScorerType,
		Registration: version.GIE(".."),
		Category:     config.LoadCategory,
		Roles:        config.ScorerRole,
		Needs:        config.NeedsCoreMetrics,
	},
	NewScorer: func(b *scheduler.Builder, _ *config.Plugin) scheduler.Scorer {
		return newCountScorer(b.Endpoints, waitingRequests)
	},
}
