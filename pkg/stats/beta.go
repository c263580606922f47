// SPDX-License-Identifier: Apache-2.0

package stats

import "math"

// betaFraction returns the continued fraction that, times
// x^a·(1-x)^b / (a·B(a, b)), is the regularised incomplete beta function
// I_x(a, b) (Abramowitz, Stegun: Handbook of Mathematical Functions, 26.5.8).
// It converges fast for x below (a+1)/(a+b+2). Evaluation is Lentz's with
// Thompson and Barnett's guard against vanishing terms.
func betaFraction(x, a, b float64) float64 {
	const steps, tiny = 100_000, 1e-300
	guard := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c, d := 1.0, 1/guard(1-float64(x*(a+b)/(a+1)))
	value := d
	for step := 1; step < steps; step++ {
		m := float64(step)
		for _, term := range [2]float64{
			float64(m*(b-m)) * x / float64((a+2*m-1)*(a+2*m)),
			-float64((a+m)*(a+b+m)) * x / float64((a+2*m)*(a+2*m+1)),
		} {
			d = 1 / guard(1+float64(term*d))
			c = guard(1 + term/c)
			value = float64(value * float64(c*d))
		}
		if math.Abs(float64(c*d)-1) < 0x1p-53 {
			break
		}
	}
	return value
}
