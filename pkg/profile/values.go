// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"math"
	"strconv"
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// Bounds of the API.
const (
	maxTokens      = 10_000_000
	maxConcurrency = 100_000
	maxStages      = 64
	maxRate        = 1e9
	maxYear        = 8760 * 3600 // s
)

// decimal writes a number with as many digits as it needs, at most 9 behind the point.
func decimal(x float64) string {
	return strconv.FormatFloat(math.Round(x*1e9)/1e9, 'f', -1, 64)
}

func positive(x float64) v1alpha1.PositiveDecimal { return v1alpha1.PositiveDecimal(decimal(x)) }

// span writes a number of seconds as a duration.
func span(seconds float64) v1alpha1.Duration {
	return v1alpha1.Duration(time.Duration(math.Round(seconds * 1e9)).String())
}

func spanPositive(seconds float64) v1alpha1.PositiveDuration {
	return v1alpha1.PositiveDuration(span(seconds))
}

func constant(tokens int64) v1alpha1.Lengths {
	return v1alpha1.Lengths{Distribution: v1alpha1.ConstantLengths, Mean: positive(float64(tokens))}
}

// clamped sets the bounds of lengths. A bound of 0 is none; below 1 there are no lengths.
func clamped(l v1alpha1.Lengths, least, greatest int64) v1alpha1.Lengths {
	l.Min = int32(max(1, least))
	if greatest > 0 {
		most := int32(greatest)
		l.Max = &most
	}
	return l
}

// normal are lengths of a normal distribution, or of one length where it has no width.
func normal(mean, stdDev float64, least, greatest int64) v1alpha1.Lengths {
	l := v1alpha1.Lengths{Distribution: v1alpha1.NormalLengths, Mean: positive(mean), StdDev: positive(stdDev)}
	if stdDev == 0 {
		l = v1alpha1.Lengths{Distribution: v1alpha1.ConstantLengths, Mean: positive(mean)}
	}
	return clamped(l, least, greatest)
}

func uniform(least, greatest int64) v1alpha1.Lengths {
	return clamped(v1alpha1.Lengths{Distribution: v1alpha1.UniformLengths}, least, greatest)
}
