// SPDX-License-Identifier: Apache-2.0

package native

// queueDepth prefers endpoints where few requests wait: from 1 for the fewest to 0
// for the most, and 1 for all where all have as many. It reads scrapes.
type queueDepth struct{}

func readQueueDepth(*reader) func(*builder) scorer {
	return func(*builder) scorer {
		return queueDepth{}
	}
}

func (queueDepth) score(r *round, scores []float64) {
	leastFirst(r, scores, func(e int) int { return r.view.Scrapes[e].Waiting })
}
