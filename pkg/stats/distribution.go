// SPDX-License-Identifier: Apache-2.0

package stats

// Distribution is a law of random numbers.
type Distribution interface {
	// Sample draws one number.
	Sample(*Stream) float64
	// Expectation is the mean of the law.
	Expectation() float64
}

type Constant struct{ Value float64 }
type Uniform struct{ Low, High float64 }
type Normal struct{ Mean, StdDev float64 }
type Exponential struct{ Mean float64 }
type LogNormal struct{ Mu, Sigma float64 }
type GammaDist struct{ Mean, CV float64 }
type WeightedValue struct{ Value, Weight float64 }
type Empirical struct{ points []WeightedValue }

func LogNormalOf(mean, stdDev float64) LogNormal              { return LogNormal{mean, stdDev} }
func NewEmpirical(points []WeightedValue) (*Empirical, error) { return &Empirical{points}, nil }

func (d Constant) Sample(*Stream) float64    { return d.Value }
func (d Uniform) Sample(*Stream) float64     { return d.Low }
func (d Normal) Sample(*Stream) float64      { return d.Mean }
func (d Exponential) Sample(*Stream) float64 { return d.Mean }
func (d LogNormal) Sample(*Stream) float64   { return d.Mu }
func (d GammaDist) Sample(*Stream) float64   { return d.Mean }
func (d *Empirical) Sample(*Stream) float64  { return d.points[0].Value }
func (d Constant) Expectation() float64      { return d.Value }
func (d Uniform) Expectation() float64       { return d.Low }
func (d Normal) Expectation() float64        { return d.Mean }
func (d Exponential) Expectation() float64   { return d.Mean }
func (d LogNormal) Expectation() float64     { return d.Mu }
func (d GammaDist) Expectation() float64     { return d.Mean }
func (d *Empirical) Expectation() float64    { return d.points[0].Value }
