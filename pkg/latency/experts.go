// SPDX-License-Identifier: Apache-2.0

package latency

import "windtunnel.dev/windtunnel/pkg/stats"

// touchedExperts returns, for n = 0, 1, 2… tokens, the number of a layer's
// experts that at least one of them passes through, in expectation over tokens
// that choose alike likely and independently:
//
//	experts · (1 − (1 − perToken/experts)^n)
//
// The list ends where the number is that of all experts to within a billionth.
func touchedExperts(experts, perToken int) []float64 {
	missed := 1 - float64(perToken)/float64(experts)
	var touched []float64
	for n := 0; ; n++ {
		untouched := stats.Pow(missed, float64(n))
		if untouched < 1e-9 {
			return append(touched, float64(experts))
		}
		touched = append(touched, float64(float64(experts)*(1-untouched)))
	}
}

// expertReads is the time, in nanoseconds, in which one GPU reads the experts
// that n tokens pass through, by n; the last entry stands for all beyond it.
type expertReads []float64

// newExpertReads takes the time of one expert in every layer. The busiest GPU
// has imbalance times its even share of them, and never more than all its own.
func newExpertReads(m *MoE, imbalance, expertNs float64) expertReads {
	if m == nil {
		return nil
	}
	reads := touchedExperts(m.Experts, m.ExpertsPerToken)
	for n, touched := range reads {
		reads[n] = float64(min(float64(touched*imbalance), float64(m.Experts)) * expertNs)
	}
	return reads
}

func (e expertReads) of(tokens int64) float64 {
	if len(e) == 0 {
		return 0
	}
	return e[min(tokens, int64(len(e)-1))]
}
