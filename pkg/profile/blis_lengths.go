// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// blisLengths reads a distribution of lengths.
func (c *converter) blisLengths(in *object) v1alpha1.Lengths {
	if in == nil {
		return v1alpha1.Lengths{}
	}
	defer in.done()
	in.refuse("lengths in a file cannot be carried: state params", "file")
	kind := in.word("type", "", "constant", "gaussian", "exponential", "lognormal", "pareto_lognormal", "empirical")
	in.demand("", "type")
	params := in.required("params")
	if params == nil {
		return v1alpha1.Lengths{}
	}
	if kind == "empirical" {
		return c.blisHistogram(params)
	}
	defer params.done()
	switch kind {
	case "constant":
		params.demand("", "value")
		return constant(params.whole("value", 1, 1, maxTokens))
	case "exponential":
		params.demand("", "mean")
		return c.blisBounds(params, v1alpha1.Lengths{
			Distribution: v1alpha1.ExponentialLengths, Mean: positive(params.number("mean", 1, 1e-9, maxTokens))})
	case "gaussian":
		params.demand("", "mean", "std_dev", "min", "max")
		return normal(params.number("mean", 1, 1, maxTokens), params.number("std_dev", 0, 0, maxTokens),
			params.whole("min", 0, 0, maxTokens), params.whole("max", 1, 1, maxTokens))
	case "lognormal":
		mean, stdDev := logNormal(params)
		return c.blisBounds(params, v1alpha1.Lengths{Distribution: v1alpha1.LogNormalLengths, Mean: positive(mean), StdDev: positive(stdDev)})
	case "pareto_lognormal":
		return c.blisMixture(params)
	}
	params.ignore("value", "mean", "std_dev", "min", "max")
	return v1alpha1.Lengths{}
}

// blisBounds sets the bounds of lengths that need none.
func (c *converter) blisBounds(in *object, l v1alpha1.Lengths) v1alpha1.Lengths {
	least, greatest := in.whole("min", 0, 0, maxTokens), in.whole("max", 0, 0, maxTokens)
	if greatest > 0 && least > greatest {
		c.fault(field.Invalid(in.at("min"), least, "must not be greater than max"))
	}
	if least == 0 && greatest == 0 {
		return l
	}
	return clamped(l, least, greatest)
}

// blisHistogram reads lengths and their probabilities.
func (c *converter) blisHistogram(in *object) v1alpha1.Lengths {
	l := v1alpha1.Lengths{Distribution: v1alpha1.HistogramLengths}
	shares, sum := c.blisShares(in, 1)
	for _, tokens := range slices.Sorted(maps.Keys(shares)) {
		l.Histogram = append(l.Histogram, v1alpha1.WeightedLength{Tokens: int32(tokens), Weight: max(1, int32(math.Round(1e6*shares[tokens]/sum)))})
	}
	if n := len(l.Histogram); n == 0 || n > 256 {
		c.fault(field.Invalid(in.path, n, "must have 1 to 256 lengths"))
	}
	return l
}

// blisShares reads numbers and how often they occur, and returns the sum of that.
func (c *converter) blisShares(in *object, least int) (shares map[int]float64, sum float64) {
	shares = map[int]float64{}
	for _, name := range slices.Sorted(maps.Keys(in.fields)) {
		number, err := strconv.Atoi(name)
		if err != nil || number < least || number > maxTokens {
			c.fault(field.Invalid(in.path, name, fmt.Sprintf("must be a number from %d to %d", least, maxTokens)))
			continue
		}
		if share := in.number(name, 0, 0, 1e9); share > 0 {
			shares[number] = share
			sum += share
		}
	}
	return shares, sum
}

// logNormal reads the mean and the deviation of the logarithm, and returns those of the
// length.
func logNormal(in *object) (mean, stdDev float64) {
	in.demand("", "mu", "sigma")
	mu, sigma := in.number("mu", 0, 0, 16), in.number("sigma", 1, 1e-3, 4)
	mean = stats.Exp(mu + float64(sigma*sigma)/2)
	return mean, mean * math.Sqrt(stats.Exp(sigma*sigma)-1)
}

// blisMixture reads lengths of which a share has a Pareto distribution.
func (c *converter) blisMixture(in *object) v1alpha1.Lengths {
	in.demand("", "alpha", "xm", "mix_weight")
	alpha, least := in.number("alpha", 2, 0, 1000), in.number("xm", 1, 1e-9, maxTokens)
	mean, stdDev := logNormal(in)
	weight := int32(math.Round(1e6 * in.number("mix_weight", 0.5, 0, 1)))
	if alpha <= 1 {
		c.fault(field.Invalid(in.at("alpha"), alpha, "must be greater than 1: without a mean, the lengths cannot be carried"))
		return v1alpha1.Lengths{}
	}
	paretoMean := positive(alpha * least / (alpha - 1))
	switch weight {
	case 0:
		return v1alpha1.Lengths{Distribution: v1alpha1.LogNormalLengths, Mean: positive(mean), StdDev: positive(stdDev)}
	case 1e6:
		return v1alpha1.Lengths{Distribution: v1alpha1.ParetoLengths, Mean: paretoMean, Shape: positive(alpha)}
	}
	return v1alpha1.Lengths{Distribution: v1alpha1.MixtureLengths, Components: []v1alpha1.LengthComponent{
		{Weight: weight, Distribution: v1alpha1.ComponentDistribution(v1alpha1.ParetoLengths), Mean: paretoMean, Shape: positive(alpha)},
		{Weight: 1e6 - weight, Distribution: v1alpha1.ComponentDistribution(v1alpha1.LogNormalLengths), Mean: positive(mean), StdDev: positive(stdDev)},
	}}
}
