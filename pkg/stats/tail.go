// SPDX-License-Identifier: Apache-2.0

package stats

import "math"

// Tail returns the probability of more than x, for x of 0 or more.
func (d Exponential) Tail(x float64) float64 { return Exp(-x / d.Mean) }

// Tail returns the probability of more than x, for x of 0 or more.
func (d Weibull) Tail(x float64) float64 { return Exp(-Pow(x/d.Scale, d.Shape)) }

// Tail returns the probability of more than x, for x of 0 or more.
func (d Pareto) Tail(x float64) float64 { return Pow(min(1, d.Scale/x), d.Shape) }

// Tail returns the probability of more than x, for x of 0 or more. It is the regularised upper
// incomplete gamma function (Abramowitz, Stegun: Handbook of Mathematical Functions, 6.5.29 and
// 6.5.31).
func (d Gamma) Tail(x float64) float64 {
	if x /= d.Scale; x <= 0 {
		return 1
	}
	front := Exp(float64(d.Shape*Log(x)) - x - LogGamma(d.Shape))
	if x < d.Shape+1 {
		return max(0, 1-float64(front*gammaSeries(d.Shape, x)))
	}
	return float64(front * gammaFraction(d.Shape, x))
}

// gammaSeries converges fast for x below shape+1.
func gammaSeries(shape, x float64) float64 {
	term := 1 / shape
	sum := term
	for k := shape + 1; term > 0x1p-56*sum; k++ {
		term = float64(term*x) / k
		sum += term
	}
	return sum
}

// gammaFraction converges fast for other x. Evaluation is Lentz's.
func gammaFraction(shape, x float64) float64 {
	const steps, tiny = 100_000, 1e-300
	b := x + 1 - shape
	c, d := 1/tiny, 1/b
	value := d
	for step := 1; step < steps; step++ {
		k := float64(step)
		a := float64(-k * (k - shape))
		b += 2
		d = 1 / (float64(a*d) + b)
		c = b + a/c
		change := float64(c * d)
		if value = float64(value * change); math.Abs(change-1) < 0x1p-53 {
			break
		}
	}
	return value
}
