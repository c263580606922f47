// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const runningRequestsSizeScorerType = "running-requests-size-scorer"

// runningRequestsSizeScorer is queueScorer on the scraped number of running
// requests.
var runningRequestsSizeScorer = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         runningRequestsSizeScorerType,
		Registration: version.GIE("gie-v1.3.."),
		Category:     config.LoadCategory,
		Roles:        config.ScorerRole,
		Needs:        config.NeedsCoreMetrics,
	},
	NewScorer: func(b *scheduler.Builder, _ *config.Plugin) scheduler.Scorer {
		return newCountScorer(b.Endpoints, runningRequests)
	},
}
