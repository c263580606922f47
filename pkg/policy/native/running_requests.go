// SPDX-License-Identifier: Apache-2.0

package native

// runningRequests prefers endpoints where few requests run: from 1 for the fewest to
// 0 for the most, and 1 for all where all have as many. It reads scrapes.
type runningRequests struct{}

func readRunningRequests(*reader) func(*builder) scorer {
	return func(*builder) scorer {
		return runningRequests{}
	}
}

func (runningRequests) score(r *round, scores []float64) {
	leastFirst(r, scores, func(e int) int { return r.view.Scrapes[e].Running })
}
