// SPDX-License-Identifier: Apache-2.0

package native

// loadAware prefers endpoints where few requests wait: 0.5 for none, falling in a
// straight line to 0 for threshold or more. It reads scrapes.
type loadAware struct{ threshold int }

func readLoadAware(r *reader) func(*builder) scorer {
	const queueThreshold = 128
	threshold := r.Count("threshold", queueThreshold, "waiting requests from which on the score is 0")
	return func(*builder) scorer { return loadAware{threshold} }
}

func (s loadAware) score(r *round, scores []float64) {
	for i, e := range r.candidates {
		waiting := min(r.view.Scrapes[e].Waiting, s.threshold)
		scores[i] = 0.5 * (1 - float64(waiting)/float64(s.threshold))
	}
}
