// SPDX-License-Identifier: Apache-2.0

package stats

import "math"

// Pareto is the Pareto distribution: P(X > x) = (Scale/x)^Shape for x of Scale or more.
// [ParetoOf] makes one from its mean.
type Pareto struct{ Shape, Scale float64 }

// ParetoOf returns the Pareto distribution with that mean and that shape, above 1: with a
// smaller shape there is no mean.
func ParetoOf(mean, shape float64) Pareto {
	return Pareto{Shape: shape, Scale: float64(mean*(shape-1)) / shape}
}

// Sample takes one draw.
func (d Pareto) Sample(s *Stream) float64 {
	return float64(d.Scale * Exp(s.Exponential()/d.Shape))
}

// Expectation returns Scale·Shape/(Shape-1), which is infinite for a Shape of 1 or less.
func (d Pareto) Expectation() float64 {
	if !(d.Shape > 1) {
		return math.Inf(1)
	}
	return float64(d.Scale*d.Shape) / (d.Shape - 1)
}
