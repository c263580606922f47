// SPDX-License-Identifier: Apache-2.0

package stats

import "math"

// Rational approximations of the normal quantile, the highest power first, in
// the centre, on the shoulders and in the tails (Wichura: Algorithm AS 241,
// Applied Statistics 37, 1988; relative error about 1e-16).
var (
	normalCentreOver = [...]float64{
		2.5090809287301226727e+3, 3.3430575583588128105e+4, 6.7265770927008700853e+4, 4.5921953931549871457e+4,
		1.3731693765509461125e+4, 1.9715909503065514427e+3, 1.3314166789178437745e+2, 3.3871328727963666080e0,
	}
	normalCentreUnder = [...]float64{
		5.2264952788528545610e+3, 2.8729085735721942674e+4, 3.9307895800092710610e+4, 2.1213794301586595867e+4,
		5.3941960214247511077e+3, 6.8718700749205790830e+2, 4.2313330701600911252e+1, 1,
	}
	normalShoulderOver = [...]float64{
		7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258e0,
		3.64784832476320460504e0, 5.76949722146069140550e0, 4.63033784615654529590e0, 1.42343711074968357734e0,
	}
	normalShoulderUnder = [...]float64{
		1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
		6.89767334985100004550e-1, 1.67638483018380384940e0, 2.05319162663775882187e0, 1,
	}
	normalTailOver = [...]float64{
		2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2,
		2.96560571828504891230e-1, 1.78482653991729133580e0, 5.46378491116411436990e0, 6.65790464350110377720e0,
	}
	normalTailUnder = [...]float64{
		2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4,
		1.48753612908506148525e-2, 1.36929880922735805310e-1, 5.99832206555887937690e-1, 1,
	}
)

// normalQuantile returns the x below which a standard normal variate falls with
// probability p, for p in (0, 1).
func normalQuantile(p float64) float64 {
	fromCentre := p - 0.5
	if math.Abs(fromCentre) <= 0.425 {
		r := 0.180625 - float64(fromCentre*fromCentre)
		return float64(fromCentre * (horner8(r, &normalCentreOver) / horner8(r, &normalCentreUnder)))
	}
	r := math.Sqrt(-Log(math.Min(p, 1-p)))
	var x float64
	if r <= 5 {
		x = horner8(r-1.6, &normalShoulderOver) / horner8(r-1.6, &normalShoulderUnder)
	} else {
		x = horner8(r-5, &normalTailOver) / horner8(r-5, &normalTailUnder)
	}
	return math.Copysign(x, fromCentre)
}

// horner8 is horner for eight coefficients, without a loop, for finite x.
func horner8(x float64, c *[8]float64) float64 {
	sum := float64(c[0]*x) + c[1]
	sum = float64(sum*x) + c[2]
	sum = float64(sum*x) + c[3]
	sum = float64(sum*x) + c[4]
	sum = float64(sum*x) + c[5]
	sum = float64(sum*x) + c[6]
	return float64(sum*x) + c[7]
}
