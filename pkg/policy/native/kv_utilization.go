// SPDX-License-Identifier: Apache-2.0

package native

// kvUtilization prefers endpoints with free KV blocks: 1 - the share that is used. It
// reads scrapes.
type kvUtilization struct{}

func readKVUtilization(*reader) func(*builder) scorer {
	return func(*builder) scorer {
		return kvUtilization{}
	}
}

func (kvUtilization) score(r *round, scores []float64) {
	for i, e := range r.candidates {
		scores[i] = 1 - r.view.Scrapes[e].KVUsage
	}
}
