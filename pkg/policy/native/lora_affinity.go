// SPDX-License-Identifier: Apache-2.0

package native

import "slices"

// loraAffinity prefers endpoints that have the request's LoRA adapter loaded: 1, and
// 0 elsewhere. It is 1 for all where all have it, or none, or none is asked for. It
// reads scrapes.
type loraAffinity struct{}

func readLoRAAffinity(*reader) func(*builder) scorer {
	return func(*builder) scorer {
		return loraAffinity{}
	}
}

func (loraAffinity) score(r *round, scores []float64) {
	mostFirst(r, scores, func(e int) int {
		if r.request.Adapter == 0 || r.view.Adapters == nil || !slices.Contains(r.view.Adapters[e].Active, r.request.Adapter) {
			return 0
		}
		return 1
	})
}
