// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"fmt"
	"math"
)

// Exponential returns an exponential variate of mean 1. It takes one draw.
func (s *Stream) Exponential() float64 { return -Log(s.OpenFloat64()) }

// Normal returns a standard normal variate. It takes one draw, of which it is
// an increasing function: two runs that scale their normals differently still
// meet the same quantiles in the same order.
func (s *Stream) Normal() float64 { return normalQuantile(s.OpenFloat64()) }

// Gamma returns a gamma variate of that shape and of scale 1; its mean is the
// shape. It panics where shape is not a positive finite number. How many draws
// it takes varies (Marsaglia, Tsang: A Simple Method for Generating Gamma
// Variables, ACM TOMS 26, 2000).
func (s *Stream) Gamma(shape float64) float64 {
	if !(shape > 0) || math.IsInf(shape, 1) {
		panic(fmt.Sprintf("stats: gamma variate of shape %v", shape))
	}
	if shape < 1 {
		// Of shape+1, where the method holds, times a power of a uniform.
		return float64(s.gammaFromOne(shape+1) * Pow(s.OpenFloat64(), 1/shape))
	}
	return s.gammaFromOne(shape)
}

// gammaFromOne returns a gamma variate of a shape of 1 or more: d·v where v is
// the cube of a normal about 1, accepted so that the density comes out right.
func (s *Stream) gammaFromOne(shape float64) float64 {
	d := shape - 1./3
	width := 1 / math.Sqrt(float64(9*d))
	for {
		x := s.Normal()
		root := 1 + float64(width*x)
		if root <= 0 {
			continue
		}
		v := float64(root * float64(root*root))
		u := s.OpenFloat64()
		square := float64(x * x)
		if u < 1-float64(0.0331*float64(square*square)) { // nearly always, and saves the logarithms
			return float64(d * v)
		}
		if Log(u) < float64(0.5*square)+float64(d*((1-v)+Log(v))) {
			return float64(d * v)
		}
	}
}
