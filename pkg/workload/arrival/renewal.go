// SPDX-License-Identifier: Apache-2.0

package arrival

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// gapLaw is the law of independent gaps.
type gapLaw interface {
	stats.Distribution
	// Tail is the probability of a longer gap; of 0, that of a gap that is not too short for
	// a number.
	Tail(gap float64) float64
}

// renewal returns the law of a process's gaps, of mean 1, where its gaps are independent of
// each other; else nil.
func renewal(a *Arrivals) gapLaw {
	switch a.Process {
	case Gamma:
		return gammaGaps{shape: 1 / (a.CV * a.CV)}
	case Weibull:
		return stats.WeibullOf(1, a.CV)
	case Pareto:
		return stats.ParetoOf(1, a.Shape)
	case Poisson:
		return stats.Exponential{Mean: 1}
	}
	return nil
}

// gammaGaps are gamma variates divided by their mean.
type gammaGaps struct{ shape float64 }

func (g gammaGaps) Sample(s *stats.Stream) float64 { return s.Gamma(g.shape) / g.shape }

func (g gammaGaps) Expectation() float64 { return 1 }

func (g gammaGaps) Tail(gap float64) float64 {
	return stats.Gamma{Shape: g.shape, Scale: 1}.Tail(max(float64(gap*g.shape), math.SmallestNonzeroFloat64))
}
