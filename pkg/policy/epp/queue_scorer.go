// SPDX-License-Identifier: Apache-2.0

package epp

const queueScorerType = "queue-scorer"

// queueScorer prefers short queues: (max − q) / (max − min) over the
// candidates, q being the scraped number of waiting requests; 1 for all if all
// are equal.
var queueScorer = pluginType{
	name:  queueScorerType,
	roles: scorerRole,
	needs: needsCoreMetrics,
	newScorer: func(*builder, *plugin) scorer {
		return countScorer{func(c *cycle, e int) int { return c.scrapes[e].Waiting }}
	},
}

// countScorer maps the least count to 1 and the greatest to 0, linearly.
type countScorer struct {
	count func(c *cycle, endpoint int) int
}

func (s countScorer) score(c *cycle, candidates []int, raw []float64) {
	least, greatest := s.count(c, candidates[0]), s.count(c, candidates[0])
	for _, e := range candidates {
		n := s.count(c, e)
		least, greatest = min(least, n), max(greatest, n)
	}
	for i, e := range candidates {
		raw[i] = 1
		if least != greatest {
			raw[i] = float64(greatest-s.count(c, e)) / float64(greatest-least)
		}
	}
}
