// SPDX-License-Identifier: Apache-2.0

package epp

const runningRequestsSizeScorerType = "running-requests-size-scorer"

// runningRequestsSizeScorer is queueScorer on the scraped number of running
// requests.
var runningRequestsSizeScorer = pluginType{
	name:  runningRequestsSizeScorerType,
	roles: scorerRole,
	needs: needsCoreMetrics,
	newScorer: func(*builder, *plugin) scorer {
		return countScorer{func(c *cycle, e int) int { return c.scrapes[e].Running }}
	},
}
