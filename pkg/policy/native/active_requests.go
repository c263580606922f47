// SPDX-License-Identifier: Apache-2.0

package native

// activeRequests prefers endpoints with few requests in flight, by the router's own
// count: 1 for none, and otherwise (most - n) / most, which is 0 for all where all
// have as many.
type activeRequests struct{}

func readActiveRequests(*reader) func(*builder) scorer {
	return func(b *builder) scorer {
		b.count()
		return activeRequests{}
	}
}

func (activeRequests) score(r *round, scores []float64) {
	most := 0
	for _, e := range r.candidates {
		most = max(most, r.inFlight[e])
	}
	for i, e := range r.candidates {
		scores[i] = 1
		if n := r.inFlight[e]; n > 0 {
			scores[i] = float64(most-n) / float64(most)
		}
	}
}
