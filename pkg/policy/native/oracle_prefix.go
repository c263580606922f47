// SPDX-License-Identifier: Apache-2.0

package native

// oraclePrefix prefers endpoints that hold the prompt's beginning, which it knows:
// the share of the prompt's full blocks that are there, from the first one on
// without a gap. No router knows that much: it is the upper bound of what knowing
// caches can be worth. Its parameter tiers says whether tiers below GPU memory count:
// all, the default, or gpu.
type oraclePrefix struct{ caches *caches }

func readOraclePrefix(r *reader) func(*builder) scorer {
	lower := r.Choice("tiers", "which tiers count", "all", "gpu") == "all"
	return func(b *builder) scorer { return oraclePrefix{b.caches(0, lower)} }
}

func (s oraclePrefix) believed(r *round, endpoint int) int { return s.caches.believed(r, endpoint) }

func (s oraclePrefix) score(r *round, scores []float64) {
	held := s.caches.look(r)
	for i, e := range r.candidates {
		scores[i] = 0
		if size := r.view.Scrapes[e].BlockTokens; size > 0 && r.request.Tokens >= size {
			scores[i] = float64(held[e]) / float64(r.request.Tokens/size)
		}
	}
}
