// SPDX-License-Identifier: Apache-2.0

package native

// loadBalance prefers endpoints with little load: 1/(1 + load), which keeps
// differences that a scale from least to most hides. Its parameter load says what
// that is.
type loadBalance struct{ load load }

func readLoadBalance(r *reader) func(*builder) scorer {
	l := readLoad(r)
	return func(b *builder) scorer {
		b.count()
		return loadBalance{l}
	}
}

func (s loadBalance) score(r *round, scores []float64) {
	for i, e := range r.candidates {
		scores[i] = 1 / float64(1+s.load.of(r, e))
	}
}
