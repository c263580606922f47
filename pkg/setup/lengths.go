// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

func buildDurations(in *v1alpha1.Durations) workload.Durations {
	d := workload.Durations{Min: in.Min.Duration()}
	if in.Max != nil {
		d.Max = in.Max.Duration()
	}
	mean := 0.0
	if in.Mean != nil {
		mean = in.Mean.Duration().Seconds()
	}
	switch in.Distribution {
	case v1alpha1.UniformDurations:
		d.Distribution = stats.Uniform{Low: d.Min.Seconds(), High: d.Max.Seconds()}
	case v1alpha1.ExponentialDurations:
		d.Distribution = stats.Exponential{Mean: mean}
	case v1alpha1.LogNormalDurations:
		d.Distribution = stats.LogNormalOf(mean, in.StdDev.Duration().Seconds())
	default:
		d.Distribution = stats.Constant{Value: mean}
	}
	return d
}

func buildLengths(in v1alpha1.Lengths) workload.Lengths {
	lengths := workload.Lengths{Min: int(in.Min)}
	if in.Max != nil {
		lengths.Max = int(*in.Max)
	}
	switch in.Distribution {
	case v1alpha1.UniformLengths:
		// Half a token more on both sides, since what is drawn is rounded.
		lengths.Distribution = stats.Uniform{Low: float64(lengths.Min) - 0.5, High: float64(lengths.Max) + 0.5}
	case v1alpha1.ZipfLengths:
		lengths.Distribution = stats.ZipfOf(in.Exponent.Float(), lengths.Min, lengths.Max)
	case v1alpha1.MixtureLengths:
		lengths.Distribution = mixtureOf(in.Components)
	case v1alpha1.HistogramLengths:
		lengths.Distribution = histogramOf(in.Histogram)
	default:
		lengths.Distribution = aroundMean(in.Distribution, in.Mean, in.StdDev, in.Shape)
	}
	return lengths
}

// aroundMean returns a distribution that has a mean.
func aroundMean(kind v1alpha1.LengthDistribution, meanTokens, stdDevTokens, shape v1alpha1.PositiveDecimal) stats.Distribution {
	mean, stdDev := meanTokens.Float(), stdDevTokens.Float()
	switch kind {
	case v1alpha1.NormalLengths:
		return stats.Normal{Mean: mean, StdDev: stdDev}
	case v1alpha1.ExponentialLengths:
		return stats.Exponential{Mean: mean}
	case v1alpha1.LogNormalLengths:
		return stats.LogNormalOf(mean, stdDev)
	case v1alpha1.GammaLengths:
		return stats.GammaOf(mean, stdDev)
	case v1alpha1.ParetoLengths:
		return stats.ParetoOf(mean, shape.Float())
	}
	return stats.Constant{Value: mean}
}

func mixtureOf(in []v1alpha1.LengthComponent) stats.Mixture {
	var parts []stats.Weighted
	for _, c := range in {
		parts = append(parts, stats.Weighted{Weight: float64(c.Weight), Distribution: aroundMean(v1alpha1.LengthDistribution(c.Distribution), c.Mean, c.StdDev, c.Shape)})
	}
	return stats.MixtureOf(parts)
}

func histogramOf(in []v1alpha1.WeightedLength) stats.WeightedValues {
	var tokens, weights []float64
	for _, l := range in {
		tokens, weights = append(tokens, float64(l.Tokens)), append(weights, float64(l.Weight))
	}
	return stats.WeightedValuesOf(tokens, weights)
}
