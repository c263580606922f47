// SPDX-License-Identifier: Apache-2.0

package epp

// multiclusterQueueScorer prefers clusters with short queues:
// (max − q) / (max − min) over the candidates that have a queue size, 1 for all
// if all are equal. One without it scores 0.
var multiclusterQueueScorer = factory{
	pluginType: pluginType{
		name:         "multicluster-queue-scorer",
		registration: gie("router-v0.10.."),
		category:     LoadCategory,
		roles:        scorerRole,
		alpha:        true,
		needs:        needsPoolMetrics,
		treatment: func(_ *Config, cluster *Cluster, _ *plugin) (Treatment, string) {
			return treatPinned(cluster, poolQueueSize)
		},
	},
	newScorer: func(b *builder, _ *plugin) scorer { return poolQueue{pinnedOf(b, poolQueueSize)} },
}

// poolQueueSize is the mean number of requests that wait in a cluster's pool.
var poolQueueSize = attributeName{name: "llm-d.ai/multicluster-queue-size"}

type poolQueue struct{ size pinnedAttribute }

func (s poolQueue) score(_ *cycle, candidates []int, w weight, scores []float64) {
	all := s.size.spread(candidates)
	for i, e := range candidates {
		raw := 0.0
		switch {
		case !s.size.known[e]:
		case all.Min == all.Max:
			raw = 1
		default:
			raw = (all.Max - s.size.values[e]) / (all.Max - all.Min)
		}
		scores[i] = w.of(raw)
	}
}
