// SPDX-License-Identifier: Apache-2.0

package stats

import "math"

// Distribution is a law of random numbers. It holds no state: what it draws
// depends on the stream alone, and any number of streams may share it.
type Distribution interface {
	// Sample draws one number.
	Sample(*Stream) float64
	// Expectation is the mean of all that it may draw.
	Expectation() float64
}

// Constant is always the same number.
type Constant struct{ Value float64 }

// Sample returns the number and draws nothing.
func (d Constant) Sample(*Stream) float64 { return d.Value }

// Expectation returns the number.
func (d Constant) Expectation() float64 { return d.Value }

// Uniform is spread evenly over [Low, High).
type Uniform struct{ Low, High float64 }

// Sample takes one draw.
func (d Uniform) Sample(s *Stream) float64 {
	return d.Low + float64((d.High-d.Low)*s.Float64())
}

// Expectation returns the middle.
func (d Uniform) Expectation() float64 { return float64(0.5*d.Low) + float64(0.5*d.High) }

// Normal is the normal distribution.
type Normal struct{ Mean, StdDev float64 }

// Sample takes one draw.
func (d Normal) Sample(s *Stream) float64 { return d.Mean + float64(d.StdDev*s.Normal()) }

// Expectation returns Mean.
func (d Normal) Expectation() float64 { return d.Mean }

// Exponential is the exponential distribution.
type Exponential struct{ Mean float64 }

// Sample takes one draw.
func (d Exponential) Sample(s *Stream) float64 { return float64(d.Mean * s.Exponential()) }

// Expectation returns Mean.
func (d Exponential) Expectation() float64 { return d.Mean }

// LogNormal is the distribution whose logarithm is normal, with mean Mu and
// standard deviation Sigma. [LogNormalOf] makes one from its own moments.
type LogNormal struct{ Mu, Sigma float64 }

// LogNormalOf returns the log-normal distribution that itself has that mean,
// above 0, and that standard deviation.
func LogNormalOf(mean, stdDev float64) LogNormal {
	cv := stdDev / mean
	variance := Log1p(float64(cv * cv))
	return LogNormal{Mu: Log(mean) - float64(0.5*variance), Sigma: math.Sqrt(variance)}
}

// Sample takes one draw.
func (d LogNormal) Sample(s *Stream) float64 {
	return Exp(d.Mu + float64(d.Sigma*s.Normal()))
}

// Expectation returns exp(Mu + Sigma²/2).
func (d LogNormal) Expectation() float64 {
	return Exp(d.Mu + float64(0.5*float64(d.Sigma*d.Sigma)))
}
