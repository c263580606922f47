// SPDX-License-Identifier: Apache-2.0

package stats

// Gamma is the gamma distribution of that Shape and Scale. [GammaOf] makes one from its
// moments.
type Gamma struct{ Shape, Scale float64 }

// GammaOf returns the gamma distribution with that mean and that standard deviation, both
// above 0.
func GammaOf(mean, stdDev float64) Gamma {
	root := mean / stdDev
	shape := float64(root * root)
	return Gamma{Shape: shape, Scale: mean / shape}
}

// Sample takes a number of draws that varies; see [Stream.Gamma].
func (d Gamma) Sample(s *Stream) float64 { return float64(d.Scale * s.Gamma(d.Shape)) }

// Expectation returns Shape·Scale.
func (d Gamma) Expectation() float64 { return float64(d.Shape * d.Scale) }
