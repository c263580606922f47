// SPDX-License-Identifier: Apache-2.0

package stats

// Weibull is the Weibull distribution. [WeibullOf] makes one from its moments.
type Weibull struct{ Shape, Scale float64 }

// The least and the greatest coefficient of variation that WeibullOf takes.
const (
	MinWeibullCV = 0.01
	MaxWeibullCV = 10.4
)

// WeibullOf returns the Weibull distribution with that mean, above 0, and that coefficient
// of variation, from MinWeibullCV to MaxWeibullCV.
func WeibullOf(mean, cv float64) Weibull {
	// 1 + cv² = Γ(1+2a) / Γ(1+a)², where a is 1/shape and the right side grows with a.
	want := Log1p(float64(cv * cv))
	low, high := 0.0, 16.0
	for range 100 {
		a := float64(0.5 * (low + high))
		if LogGamma(1+float64(2*a))-float64(2*LogGamma(1+a)) < want {
			low = a
		} else {
			high = a
		}
	}
	return Weibull{Shape: 1 / high, Scale: mean / Exp(LogGamma(1+high))}
}

// Sample takes one draw.
func (d Weibull) Sample(s *Stream) float64 {
	return float64(d.Scale * Pow(s.Exponential(), 1/d.Shape))
}

// Expectation returns Scale·Γ(1+1/Shape).
func (d Weibull) Expectation() float64 {
	return float64(d.Scale * Exp(LogGamma(1+1/d.Shape)))
}
