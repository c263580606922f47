// SPDX-License-Identifier: Apache-2.0

package native

// leastFirst scores what each candidate has of something from 1 for the least to 0
// for the most; 1 for all where all have the same.
func leastFirst(r *round, scores []float64, of func(endpoint int) int) {
	least, most := of(r.candidates[0]), of(r.candidates[0])
	for _, e := range r.candidates {
		least, most = min(least, of(e)), max(most, of(e))
	}
	for i, e := range r.candidates {
		scores[i] = 1
		if least < most {
			scores[i] = float64(most-of(e)) / float64(most-least)
		}
	}
}

// mostFirst is leastFirst the other way round.
func mostFirst(r *round, scores []float64, of func(endpoint int) int) {
	leastFirst(r, scores, func(endpoint int) int { return -of(endpoint) })
}
