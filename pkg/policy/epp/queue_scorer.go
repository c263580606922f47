// SPDX-License-Identifier: Apache-2.0

package epp

const queueScorerType = "queue-scorer"

// queueScorer prefers short queues: (max − q) / (max − min) over the
// candidates, q being the scraped number of waiting requests; 1 for all if all
// are equal.
var queueScorer = factory{
	pluginType: pluginType{
		name:         queueScorerType,
		registration: gie(".."),
		category:     LoadCategory,
		roles:        scorerRole,
		needs:        needsCoreMetrics,
	},
	newScorer: func(b *builder, _ *plugin) scorer {
		return newCountScorer(b.Endpoints, waitingRequests)
	},
}
