// SPDX-License-Identifier: Apache-2.0

package epp

const runningRequestsSizeScorerType = "running-requests-size-scorer"

// runningRequestsSizeScorer is queueScorer on the scraped number of running
// requests.
var runningRequestsSizeScorer = factory{
	pluginType: pluginType{
		name:         runningRequestsSizeScorerType,
		registration: gie("gie-v1.3.."),
		category:     LoadCategory,
		roles:        scorerRole,
		needs:        needsCoreMetrics,
	},
	newScorer: func(b *builder, _ *plugin) scorer {
		return newCountScorer(b.Endpoints, runningRequests)
	},
}
