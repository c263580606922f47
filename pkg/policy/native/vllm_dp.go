// SPDX-License-Identifier: Apache-2.0

package native

// vllmDP prefers endpoints as vLLM's own client does for data-parallel engines: by
// 4 for each request that waits and 1 for each that runs, from 1 for the least to 0
// for the most. It reads scrapes.
type vllmDP struct{}

func readVLLMDP(*reader) func(*builder) scorer {
	return func(*builder) scorer {
		return vllmDP{}
	}
}

func (vllmDP) score(r *round, scores []float64) {
	leastFirst(r, scores, func(e int) int { return 4*r.view.Scrapes[e].Waiting + r.view.Scrapes[e].Running })
}
