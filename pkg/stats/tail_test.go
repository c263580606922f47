// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"math"
	"testing"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// erlangTail is the oracle of gamma tails of whole shapes: the sum of Poisson probabilities.
func erlangTail(shape int, x float64) float64 {
	sum := 0.0
	for k := range shape {
		logFactorial, _ := math.Lgamma(float64(k + 1))
		sum += math.Exp(float64(k)*math.Log(x) - x - logFactorial)
	}
	return sum
}

func TestTailsAgreeWithOtherForms(t *testing.T) {
	for _, x := range []float64{1e-9, 0.01, 0.5, 0.99, 1, 1.7, 3, 9, 30, 100} {
		for name, tc := range map[string]struct{ got, want float64 }{
			"Exponential":             {stats.Exponential{Mean: 2}.Tail(x), math.Exp(-x / 2)},
			"Weibull":                 {stats.Weibull{Shape: 0.6, Scale: 3}.Tail(x), math.Exp(-math.Pow(x/3, 0.6))},
			"Pareto":                  {stats.Pareto{Shape: 2.5, Scale: 0.6}.Tail(x), math.Min(1, math.Pow(0.6/x, 2.5))},
			"Gamma, shape 1":          {stats.Gamma{Shape: 1, Scale: 2}.Tail(x), math.Exp(-x / 2)},
			"Gamma, shape ½":          {stats.Gamma{Shape: 0.5, Scale: 1}.Tail(x), math.Erfc(math.Sqrt(x))},
			"Gamma, shape 4":          {stats.Gamma{Shape: 4, Scale: 0.5}.Tail(x), erlangTail(4, 2*x)},
			"Gamma, shape 25":         {stats.Gamma{Shape: 25, Scale: 1}.Tail(x), erlangTail(25, x)},
			"Gamma, shape 1000":       {stats.Gamma{Shape: 1000, Scale: 0.01}.Tail(x), erlangTail(1000, 100*x)},
			"Gamma, two forms meet":   {stats.Gamma{Shape: 6, Scale: 1}.Tail(math.Nextafter(7, 0)), erlangTail(6, 7)},
			"Gamma, behind the joint": {stats.Gamma{Shape: 6, Scale: 1}.Tail(7), erlangTail(6, 7)},
		} {
			if math.Abs(tc.got-tc.want) > 1e-11*tc.want+1e-15 {
				t.Errorf("%s: the tail of %v is %v, want %v", name, x, tc.got, tc.want)
			}
		}
	}
}

func TestTailsBeginAtOne(t *testing.T) {
	for name, tail := range map[string]func(float64) float64{
		"Exponential": stats.Exponential{Mean: 2}.Tail, "Weibull": stats.Weibull{Shape: 0.6, Scale: 3}.Tail,
		"Pareto": stats.Pareto{Shape: 2.5, Scale: 0.6}.Tail, "Gamma": stats.Gamma{Shape: 0.06, Scale: 1}.Tail,
	} {
		if got := tail(0); got != 1 {
			t.Errorf("%s: the tail of 0 is %v", name, got)
		}
	}
}
