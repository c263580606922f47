// SPDX-License-Identifier: Apache-2.0

package arrival

import "windtunnel.dev/windtunnel/pkg/stats"

// renewal returns the law of a process's gaps, of mean 1, where its gaps are independent of
// each other; else nil.
func renewal(a *Arrivals) stats.Distribution {
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
